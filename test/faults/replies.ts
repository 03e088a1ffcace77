import type { Fault } from "./raw-server.ts";

export const envelope = JSON.stringify({
  code: 1000,
  msg: "",
  data: { taskid: "t-1", url: [], status: "Success" },
});

/**
 * A response as text, with its length. It names no media type, so that its bytes may also be a
 * result.
 */
export function reply(
  body: string | Buffer = envelope,
  status = "200 OK",
  ...headers: readonly string[]
): Buffer {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${body.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body as string)]);
}

/** Responds to a complete request with these bytes and closes. */
export const bytes = (bytes: string | Buffer): Fault => ({
  onRequest: (socket) => void socket.end(bytes),
});
/** Responds to a complete request with a status and a body, and closes. */
export const response = (
  status: string,
  body: string | Buffer = "",
  ...headers: readonly string[]
): Fault => bytes(reply(body, status, "Connection: close", ...headers));
export const head = "HTTP/1.1 200 OK\r\n";
export const half = envelope.slice(0, envelope.length / 2);
export const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
