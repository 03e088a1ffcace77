import { createHash } from "node:crypto";
import { realpath, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { hasCode } from "./error-code.ts";

/**
 * Makes this process the owner of a file until it ends, however it ends. Returns false if another process of this machine owns it.
 * The owner listens on a local socket whose name is derived from the path, so a killed process leaves nothing behind.
 */
export async function ownFile(path: string): Promise<boolean> {
  const directory = await realpath(dirname(path));
  const name = `mediagen-emulator-${createHash("sha256")
    .update(join(directory, basename(path)))
    .digest("hex")
    .slice(0, 24)}`;
  if (process.platform === "win32") return listens(`\\\\.\\pipe\\${name}`);
  // An abstract socket: the system frees its name when the process ends.
  if (process.platform === "linux") return listens(`\0${name}`);
  const socket = join(tmpdir(), name);
  if (await listens(socket)) return true;
  if (await isServed(socket)) return false;
  await unlink(socket).catch(() => undefined);
  return listens(socket);
}

function listens(path: string): Promise<boolean> {
  const server: Server = createServer((socket) => socket.destroy());
  // The socket does not keep the process alive.
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", (error) => (hasCode(error, "EADDRINUSE") ? resolve(false) : reject(error)));
    server.listen(path, () => resolve(true));
  });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => (socket.destroy(), resolve(true)));
    socket.once("error", () => resolve(false));
  });
}
