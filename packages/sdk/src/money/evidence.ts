import { messageOf } from "../errors/errors.ts";

/**
 * The system calls and codes of a failed lookup or connection attempt: no byte of a request can
 * have left by then. One exception is left: Node's fetch resends a request after HTTP 421, by which
 * a server says that it has not processed it.
 */
const unsentCodes = [
  /^getaddrinfo (ENOTFOUND|EAI_[A-Z]+|EMFILE|ENFILE)$/,
  /^connect (ECONNREFUSED|E(NET|HOST)UNREACH|E(NET|HOST)DOWN|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM|EMFILE|ENFILE)$/,
  // Bun does not report the system call.
  /^undefined (ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED)$/,
  / (UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL)$/,
];
/** The certificate is checked before the first byte of a request is encrypted. */
const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
/**
 * The server speaks only HTTP/2: it says so in response to the first message of a handshake. Errors
 * of TLS records, such as WRONG_VERSION_NUMBER of a server without TLS, also come in an established
 * session, after the first byte of a request.
 */
const handshakeCode = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";

/**
 * What an error says besides its message: a rejected tunnel the status of its response, TLS the
 * reason without addresses in memory.
 */
interface Facts {
  readonly code?: string;
  readonly syscall?: string;
  readonly reason?: string;
  readonly statusCode?: number;
}

/** No byte of a request has left. */
export class NeverSentError extends Error {
  override readonly name = "NeverSentError";
  /**
   * Whether a retry cannot help: the certificate was rejected, or a proxy refuses the connection.
   */
  readonly isFinal: boolean;

  constructor(cause: unknown) {
    const reasons: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    const { code = "", statusCode = 0, reason } = Object(causeOf(cause)) as Facts;
    super(`nothing was sent (${reason ?? reasons.map(messageOf).join("; ")})`, { cause });
    // It requires another user, or does not allow the host.
    const isRefused =
      statusCode >= 300 && statusCode < 500 && statusCode !== 408 && statusCode !== 429;
    this.isFinal = certificateCodes.test(code) || (code === "ERR_PROXY_TUNNEL" && isRefused);
  }
}

/**
 * Returns whether a rejection of `fetch` proves that nothing was sent: it can in Node, Bun and
 * Deno, not in browsers and workerd.
 */
export function provesUnsent(error: unknown): boolean {
  const cause = causeOf(error);
  // Happy Eyeballs: every address was tried, and each attempt must be proof.
  if (cause instanceof AggregateError)
    return cause.errors.length > 0 && cause.errors.every(isBeforeSending);
  const { code = "" } = Object(cause) as Facts;
  if (isBeforeSending(cause) || certificateCodes.test(code)) return true;
  // node-fetch reports the ambiguous codes of node:https, not as the cause of a TypeError.
  if (!(error instanceof TypeError)) return false;
  // Deno's failed connection, a port that fetch blocks, a proxy that rejects the tunnel: they have
  // no code.
  if (/client error \(Connect\)/.test(messageOf(error))) return true;
  const isTunnel = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/.test(
    messageOf(causeOf(cause)),
  );
  return cause !== error && (code === handshakeCode || messageOf(cause) === "bad port" || isTunnel);
}

/** Node throws a TypeError with the error as its cause, Bun throws the error itself. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

function isBeforeSending(error: unknown): boolean {
  const { code, syscall } = Object(error) as Facts;
  const isReset =
    code === "ECONNRESET" &&
    messageOf(error).includes("before secure TLS connection was established");
  return isReset || unsentCodes.some((row) => row.test(`${syscall} ${code}`));
}
