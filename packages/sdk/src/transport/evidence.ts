import { messageOf } from "../errors/errors.ts";

/** Codes of a failed lookup or connection attempt: no byte of a request can have left by then. */
const lookUpCodes = /^(ENOTFOUND|EAI_[A-Z]+)$/;
const connectCodes =
  /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|ETIMEDOUT|EACCES|EPERM)$/;
const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

/** What is known of a request whose sending failed. */
export type Evidence = "never sent" | "never sent, bad certificate" | "unknown";

/** Thrown by a transport that has watched the connection itself: no byte of the request has left. */
export class NeverSentError extends Error {
  override readonly name = "NeverSentError";
  /** Whether the certificate was rejected; a retry does not help. */
  readonly badCertificate: boolean;

  constructor(message: string, cause: unknown, badCertificate = false) {
    super(message, { cause });
    this.badCertificate = badCertificate;
  }
}

/**
 * Returns whether a transport's rejection proves that no byte of the request left. Only what is recognized counts: what our own
 * transports say, and how the fetch of Node, Bun and Deno reports lookup, connection and TLS failures. Browsers and workerd do not.
 */
export function evidenceIn(error: unknown): Evidence {
  if (error instanceof NeverSentError) return error.badCertificate ? "never sent, bad certificate" : "never sent";
  const cause = causeOf(error);
  if (cause instanceof AggregateError) {
    // Happy Eyeballs: every address was tried, and each attempt must prove it.
    const each = cause.errors.map((one: unknown) => evidenceOf(one));
    return each.length > 0 && each.every((one) => one === "never sent") ? "never sent" : "unknown";
  }
  const evidence = evidenceOf(cause);
  if (evidence !== "unknown") return evidence;
  // Deno only says so in its message.
  return error instanceof TypeError && /client error \(Connect\)/.test(messageOf(error)) ? "never sent" : "unknown";
}

/** Returns the error with the code: Node hides it in the cause of a TypeError, Bun throws it itself. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

function evidenceOf(error: unknown): Evidence {
  if (!(error instanceof Error) || !("code" in error)) return "unknown";
  const code = String(error.code);
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (lookUpCodes.test(code) && (syscall === "getaddrinfo" || syscall === undefined)) return "never sent";
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "never sent";
  if (code === "ECONNREFUSED" && (syscall === "connect" || syscall === undefined)) return "never sent";
  if (connectCodes.test(code) && syscall === "connect") return "never sent";
  if (certificateCodes.test(code)) return "never sent, bad certificate";
  if (code === "ECONNRESET" && error.message.includes("before secure TLS connection was established"))
    return "never sent";
  return "unknown";
}
