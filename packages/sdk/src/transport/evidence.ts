import { InvalidRequestError, messageOf } from "../errors/errors.ts";

/** Codes of a failed lookup, connection attempt or TLS handshake: no byte of a request can have left by then. */
const lookUpCodes = /^(ENOTFOUND|EAI_[A-Z]+|EMFILE|ENFILE)$/;
const connectCodes =
  /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|ETIMEDOUT|EACCES|EPERM|EMFILE|ENFILE)$/;
const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
/** No TLS at that port, or only HTTP/2. Node's fetch has another code for what breaks a session that stands; node:https has not. */
const handshakeCodes = /^ERR_SSL_(WRONG_VERSION_NUMBER|TLSV1_ALERT_NO_APPLICATION_PROTOCOL)$/;

/** Thrown by a transport that knows that no byte of the request has left. */
export class NeverSentError extends Error {
  override readonly name = "NeverSentError";
  /** Whether a retry does not help: the certificate was rejected, or a proxy refuses the connection. */
  readonly isFinal: boolean;

  constructor(message: string, cause: unknown, isFinal = false) {
    super(message, { cause });
    this.isFinal = isFinal;
  }
}

/** Returns what to throw for an error before a request was begun: by a retry it may go away. */
export function beforeRequest(error: unknown): unknown {
  if (error instanceof InvalidRequestError) return error;
  return new NeverSentError(`nothing was sent, because the request could not be prepared: ${messageOf(error)}`, error);
}

/** What proves that no byte of a request has left. */
type Evidence = "never sent" | "cannot be sent";

/**
 * Returns what the rejection of a runtime's fetch proves. Only what is recognized counts: how Node, Bun and Deno report what fails
 * before a request. Browsers and workerd do not.
 */
export function fetchEvidence(error: unknown): Evidence | undefined {
  // Node hides the error with the code in the cause of a TypeError, Bun throws it itself.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof AggregateError) {
    // Happy Eyeballs: every address was tried, and each attempt must prove it.
    const each = cause.errors.map(evidenceIn);
    return each.length > 0 && each.every((one) => one === "never sent") ? "never sent" : undefined;
  }
  const isKnown = isHandshake(error, cause) || isKnownText(error, cause);
  return evidenceIn(cause) ?? (isKnown ? "never sent" : undefined);
}

function evidenceIn(error: unknown): Evidence | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (certificateCodes.test(code)) return "cannot be sent";
  const isUnsent =
    (lookUpCodes.test(code) && syscall === "getaddrinfo") ||
    (connectCodes.test(code) && syscall === "connect") ||
    // Bun names no system call.
    (/^(ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED)$/.test(code) && syscall === undefined) ||
    /^(UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL)$/.test(code) ||
    (code === "ECONNRESET" && error.message.includes("before secure TLS connection was established"));
  return isUnsent ? "never sent" : undefined;
}

/** Whether a TLS handshake failed, as Node's fetch and undici's tell it: not node-fetch, which passes on the code of node:https. */
function isHandshake(error: unknown, cause: unknown): boolean {
  if (!(error instanceof TypeError) || cause === error) return false;
  return cause instanceof Error && "code" in cause && handshakeCodes.test(String(cause.code));
}

/** What has no code of its own: what Deno calls a failed connection, a port that fetch blocks, a proxy that refuses the tunnel. */
function isKnownText(error: unknown, cause: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  if (/client error \(Connect\)/.test(messageOf(error))) return true;
  if (!(cause instanceof Error)) return false;
  const innermost = cause.cause instanceof Error ? cause.cause : cause;
  return cause.message === "bad port" || /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/.test(innermost.message);
}
