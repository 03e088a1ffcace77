import { InvalidRequestError, messageOf } from "../errors/errors.ts";

/** Codes of a failed lookup, connection attempt or TLS handshake: no byte of a request can have left by then. */
const lookUpCodes = /^(ENOTFOUND|EAI_[A-Z]+|EMFILE|ENFILE)$/;
const connectCodes =
  /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|ETIMEDOUT|EACCES|EPERM|EMFILE|ENFILE)$/;
const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
/** No TLS at that port, or only HTTP/2. Node's fetch has other codes for errors in an established session, node:https does not. */
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

/** Returns the error to throw if a request could not be prepared: nothing was sent, and a retry may succeed. */
export function beforeRequest(error: unknown): unknown {
  if (error instanceof InvalidRequestError) return error;
  return new NeverSentError(`nothing was sent, because the request could not be prepared: ${messageOf(error)}`, error);
}

/** Proof that no byte of a request has left. */
type Evidence = "never sent" | "cannot be sent";

/**
 * Returns what a rejection of `fetch` proves. Node, Bun and Deno report errors before a request in recognizable ways. Browsers
 * and workerd do not.
 */
export function fetchEvidence(error: unknown): Evidence | undefined {
  // Node throws a TypeError with the error as its cause, Bun throws the error itself.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof AggregateError) {
    // Happy Eyeballs: every address was tried, and each attempt must be proof.
    const each = cause.errors.map(evidenceIn);
    return each.length > 0 && each.every((one) => one === "never sent") ? "never sent" : undefined;
  }
  const isKnown = isHandshake(error, cause) || isKnownText(error, cause);
  return evidenceIn(cause) ?? (isKnown ? "never sent" : undefined);
}

/** Returns whether an error says that a certificate was rejected. */
export function isCertificateError(error: unknown): boolean {
  return evidenceIn(error) === "cannot be sent";
}

function evidenceIn(error: unknown): Evidence | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (certificateCodes.test(code)) return "cannot be sent";
  const isUnsent =
    (lookUpCodes.test(code) && syscall === "getaddrinfo") ||
    (connectCodes.test(code) && syscall === "connect") ||
    // Bun does not report the system call.
    (/^(ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED)$/.test(code) && syscall === undefined) ||
    /^(UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL)$/.test(code) ||
    (code === "ECONNRESET" && error.message.includes("before secure TLS connection was established"));
  return isUnsent ? "never sent" : undefined;
}

/** Whether a TLS handshake failed, as Node's fetch and undici report it. node-fetch reports the ambiguous code of node:https. */
function isHandshake(error: unknown, cause: unknown): boolean {
  if (!(error instanceof TypeError) || cause === error) return false;
  return cause instanceof Error && "code" in cause && handshakeCodes.test(String(cause.code));
}

/** Recognizes errors without a code: Deno's failed connection, a port that fetch blocks, a proxy that rejects the tunnel. */
function isKnownText(error: unknown, cause: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  if (/client error \(Connect\)/.test(messageOf(error))) return true;
  if (!(cause instanceof Error)) return false;
  const innermost = cause.cause instanceof Error ? cause.cause : cause;
  return cause.message === "bad port" || /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/.test(innermost.message);
}
