import { connect, createServer, type Socket } from "node:net";
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from "node:tls";
import { createMediaGen as createWebMediaGen } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { afterAll, expect, test } from "vitest";
import { portOf } from "../serve.ts";
import { errorOf } from "../sdk/fake-service.ts";
import { makeCertificate } from "./certificate.ts";

const certificate = makeCertificate("localhost");
const before = getCACertificates("default");
setDefaultCACertificates([...before, certificate.cert]);
afterAll(() => setDefaultCACertificates(before));

/** A file that is still being uploaded when the service has read the head of its request. */
const large = new Blob(["GIF89a", new Uint8Array(8 * 1024 * 1024)], { type: "image/gif" });

/**
 * What is no record of the session: OpenSSL calls both a wrong version, as it calls a handshake
 * with a server without TLS.
 */
const records = {
  "TLSv1.2": Buffer.from("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"),
  "TLSv1.3": Buffer.from([23, 0, 0, 0, 5, 1, 2, 3, 4, 5]),
} as const;

/**
 * Starts a service that bills as soon as it has read the head of a request, behind a middlebox that
 * then writes these bytes into the TLS session.
 */
async function startService(maxVersion: keyof typeof records) {
  let paid = 0;
  let writePlain = () => {};
  const service = createTlsServer({ ...certificate, maxVersion }, (session) => {
    session.on("error", () => undefined);
    session.once("data", () => {
      paid++;
      writePlain();
    });
  });
  const port = await portOf(service, "localhost");
  const sockets = new Set<Socket>();
  const middlebox = createServer((client) => {
    const upstream = connect(port, "localhost");
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    client.pipe(upstream).pipe(client);
    writePlain = () => void client.write(records[maxVersion]);
  });
  return {
    baseUrl: `https://localhost:${await portOf(middlebox, "localhost")}`,
    paid: () => paid,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        [service, middlebox].map((server) => new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}

const cases = (["TLSv1.2", "TLSv1.3"] as const).flatMap((version) => [
  { version, entry: "global fetch", createMediaGen: createWebMediaGen },
  { version, entry: "node:http", createMediaGen: createNodeMediaGen },
]);

test.for(cases)(
  "plain text in an established $version session, on $entry, does not prove that nothing was sent",
  async ({ version, createMediaGen }) => {
    await using service = await startService(version);
    const media = createMediaGen({
      baseUrl: service.baseUrl,
      apiKey: "key",
      retries: 2,
      clock: { random: () => 0 },
    });
    const error = await errorOf(media.video.generate("vidmodelv2", { sourceImage: large }));
    expect(service.paid()).toBe(1);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", billed: "maybe" });
  },
);
