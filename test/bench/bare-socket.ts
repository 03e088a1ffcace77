import { connect, type Socket } from "node:net";

/** POSTs on bare sockets, kept alive: a client that does no more than the protocol requires. */
export function bareSockets(port: number): {
  post(path: string, type: string, body: string): Promise<string>;
  close(): void;
} {
  const idle: Socket[] = [];
  return {
    post(path, type, body) {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: emulator-key\r\nContent-Type: ${type}\r\n`;
      return new Promise((resolve, reject) => {
        const socket = idle.pop() ?? connect({ port, host: "127.0.0.1", noDelay: true });
        let text = "";
        const read = (chunk: Buffer) => {
          text += chunk.toString("latin1");
          const end = text.indexOf("\r\n\r\n") + 4;
          const length = /content-length: (\d+)/i.exec(text)?.[1];
          const whole = length
            ? text.length >= end + Number(length)
            : text.endsWith("\r\n0\r\n\r\n");
          if (end < 4 || !whole) return;
          socket.off("data", read).off("error", reject);
          idle.push(socket);
          resolve(text.slice(end));
        };
        socket.on("data", read).once("error", reject);
        socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      });
    },
    close() {
      for (const socket of idle) socket.destroy();
    },
  };
}
