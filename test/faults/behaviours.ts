import type { Socket } from "node:net";
import type { Fault, RawServer } from "./raw-server.ts";

/**
 * Hangs once the client has seen what it was sent: timers come before that in a turn of the event
 * loop.
 */
export function hangSoon(server: RawServer): void {
  setTimeout(setImmediate, 10, server.hang);
}

/** Responds to a complete request with these bytes and then does nothing more. */
export const hangsAfter = (bytes: string): Fault => ({
  onRequest: (socket, server) => void socket.write(bytes, () => hangSoon(server)),
});

export function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

export function close(socket: Socket): void {
  socket.destroy();
}

/** Writes for as long as the client reads. */
export function flood(socket: Socket, bytes: Buffer): void {
  while (!socket.destroyed && socket.write(bytes));
  if (!socket.destroyed) socket.once("drain", () => flood(socket, bytes));
}

export function drip(socket: Socket, bytes: Buffer): void {
  if (bytes.length === 0 || socket.destroyed) return void socket.end();
  socket.write(bytes.subarray(0, 1));
  setImmediate(drip, socket, bytes.subarray(1));
}

/** Responds byte by byte, and hangs by then. */
export const drips = (first: string, more: string): Fault => ({
  onRequest: (socket, server) => {
    socket.write(first);
    hangSoon(server);
    drip(socket, Buffer.from(more));
  },
});
