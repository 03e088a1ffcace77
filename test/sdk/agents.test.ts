import http from "node:http";
import { createSecureServer } from "node:http2";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  type GenerationStore,
  memoryStore,
  type NodeMediaGenOptions,
  OutcomeUnknownError,
  ServiceError,
} from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { reply } from "../faults/faults.ts";
import { startRawServer } from "../faults/raw-server.ts";
import { addresses, leadNamesHere } from "./names-here.ts";
import { shown } from "../shown.ts";
import { startProxy, startService, type Service } from "./proxy-server.ts";

leadNamesHere();
const ofExample = makeCertificate("*.example.com");
const ofClient = makeCertificate("client");
const result = Buffer.from("result");
const form = { prompt: "A fox" };
const ca = ofExample.cert;
const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error,
  );

/** A service that notes who its clients are, with its results at another name. */
const startTls = (certificate = ofExample) =>
  startService("https://results.example.com:PORT/1.png", result, {
    ...certificate,
    requestCert: true,
    ca: ofClient.cert,
    rejectUnauthorized: false,
  });

function clientOf({ port }: Pick<Service, "port">, options: NodeMediaGenOptions = {}) {
  const baseUrl = `https://media.example.com:${port}`;
  return createMediaGen({ baseUrl, apiKey: "key", retries: 1, clock: { random: () => 0 }, ...options });
}

/** An agent whose requests go through a proxy, like those of packages: its sockets are not secured yet when requests get them. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxyUrl: string, options: https.AgentOptions = {}) {
    super(options);
    this.#proxy = new URL(proxyUrl);
  }

  // The cast: Node's agents take a callback, and merge their options into those of the connection.
  override createConnection = ((
    options: https.RequestOptions,
    callback: (error: unknown, socket?: unknown) => void,
  ) => {
    const { hostname: host, port } = this.#proxy;
    const request = http.request({ host, port, method: "CONNECT", path: `${options.host}:${options.port}` });
    request.once("error", callback).once("connect", ({ statusCode }, socket) => {
      // As some packages do: the response of the proxy becomes that of the request.
      if (statusCode === 200)
        callback(null, connectTls({ ...this.options, ca, socket, servername: "media.example.com" }));
      else callback(null, socket);
    });
    request.end();
  }) as unknown as https.Agent["createConnection"];
}

describe("an agent", () => {
  test("connects every request and every result: with its authority and client certificate (mTLS)", async () => {
    await using service = await startTls();
    const agent = new https.Agent({ ca, cert: ofClient.cert, key: ofClient.key });
    const media = clientOf(service, { agent });
    const task = await media.video.generate("vidmodelv2", form);
    await task.wait();
    const [blob] = await blobs(task, { allowPrivateHosts: true });
    expect(await blob?.text()).toBe("result");
    expect(service.clients).toEqual(Array(3).fill("test client"));
  });

  test("that does not trust the certificate sends nothing, and says so at once", async () => {
    await using service = await startTls();
    const ofOther = makeCertificate("*.example.org");
    await using other = await startTls(ofOther);
    for (const [media, says] of [
      [clientOf(service), "self-signed certificate"],
      [clientOf(service, { agent: new https.Agent({ ca: ofClient.cert }) }), "self-signed certificate"],
      [clientOf(other, { agent: new https.Agent({ ca: ofOther.cert }) }), "does not match certificate's altnames"],
    ] as const) {
      const error = await thrownBy(media.video.generate("vidmodelv2", form));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(/nothing was sent.*/);
      expect(String(error)).toContain(says);
    }
    expect([...service.requests, ...other.requests]).toEqual([]);
  });

  test("meets a server that only speaks HTTP/2 before anything is sent", async () => {
    const server = createSecureServer(ofExample);
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    );
    const error = await thrownBy(
      clientOf({ port }, { agent: new https.Agent({ ca }) }).video.generate("vidmodelv2", form),
    );
    server.close();
    expect(error).toBeInstanceOf(ConnectionError);
  });

  test("of the other protocol sends nothing", async () => {
    await using service = await startTls();
    const media = clientOf(service, { agent: new http.Agent() });
    const error = await thrownBy(media.video.generate("vidmodelv2", form));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toMatch(/nothing was sent.*Protocol "https:" not supported/);
  });

  test("may bring a request through a proxy, and nothing leaves before its TLS session is established", async () => {
    await using service = await startTls();
    await using proxy = await startProxy();
    const media = clientOf(service, { agent: new TunnelAgent(proxy.url) });
    expect((await media.video.generate("vidmodelv2", form)).taskid).toBe("t-1");
    await using cuts = await startProxy({ onData: (socket) => void socket.destroy() });
    const error = await thrownBy(
      clientOf(service, { agent: new TunnelAgent(cuts.url) }).video.generate("vidmodelv2", form),
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain("nothing was sent");
    expect([service.requests.length, cuts.heads.length]).toEqual([1, 2]);
  });

  test("whose proxy rejects the tunnel gives a connection without TLS, through which nothing leaves", async () => {
    let received = "";
    await using proxy = await startProxy({
      onConnect: (socket) => {
        socket.on("data", (bytes: Buffer) => (received += bytes.toString("latin1")));
        socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      },
    });
    const media = clientOf({ port: 1 }, { agent: new TunnelAgent(proxy.url) });
    for (const call of [() => media.video.generate("vidmodelv2", form), () => media.video.query("t-1")]) {
      const error = await thrownBy(call());
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(/nothing was sent.*opened no TLS session/);
    }
    expect([received, proxy.heads.length]).toEqual(["", 4]);
  });

  test("that gives a generation a used connection, which the server has closed, proves nothing", async () => {
    // It closes the connection as soon as the second request begins: nobody knows whether it has read it.
    const server = await startRawServer({
      onRequest: (socket, _, nth) => void (nth === 1 ? socket.write(reply()) : socket.destroy()),
    });
    const agent = new http.Agent({ keepAlive: true });
    const media = createMediaGen({
      baseUrl: server.baseUrl,
      apiKey: "key",
      agent,
      retries: 3,
      clock: { random: () => 0 },
    });
    await media.video.query("t-1");
    expect(await thrownBy(media.video.generate("vidmodelv2", form))).toBeInstanceOf(OutcomeUnknownError);
    expect([server.connections, server.heads]).toEqual([1, 2]);
    await server.close();
  });

  test("that gives a generation a used connection, which breaks before it is written to, proves nothing either", async () => {
    await using service = await startService("http://localhost/1.png", result);
    const agent = new http.Agent({ keepAlive: true });
    const baseUrl = `http://127.0.0.1:${service.port}`;
    const memory = memoryStore();
    // The store is the last that is waited for before a request is written.
    const breaks: GenerationStore = {
      ...memory,
      write(record) {
        if (record.state === "sending") Object.values(agent.sockets).flat()[0]?.destroy(new Error("stale"));
        return memory.write(record);
      },
    };
    const media = createMediaGen({
      baseUrl,
      apiKey: "key",
      agent,
      retries: 3,
      clock: { random: () => 0 },
      store: breaks,
    });
    await media.video.query("t-1");
    expect(await thrownBy(media.video.generate("vidmodelv2", form))).toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(1);
  });

  test("that gives a generation its only connection has it back if the store fails before anything is sent", async () => {
    await using service = await startService("http://localhost/1.png", result);
    const memory = memoryStore();
    const write = vi.fn(memory.write);
    const media = createMediaGen({
      baseUrl: `http://127.0.0.1:${service.port}`,
      apiKey: "key",
      agent: new http.Agent({ keepAlive: true, maxSockets: 1 }),
      queryTimeoutMs: 5_000,
      store: { ...memory, write },
    });
    await media.video.query("t-1");
    write.mockRejectedValue(new Error("disk full"));
    expect(await thrownBy(media.video.generate("vidmodelv2", form))).toMatchObject({
      name: "StoreError",
      billed: "no",
    });
    await media.video.query("t-1");
    expect(service.requests).toHaveLength(2);
  });
});

describe("a result behind an agent", () => {
  test.for(["127.0.0.1", "10.0.0.1", "[::1]", "localhost", "private.example.com"])(
    "is not requested from %s",
    async (host) => {
      addresses.set("private.example.com", "10.0.0.1").set("media.example.com", "127.0.0.1");
      await using service = await startService(`https://${host}:PORT/1.png`, result, ofExample);
      await using proxy = await startProxy();
      for (const agent of [new TunnelAgent(proxy.url), new https.Agent({ ca })]) {
        const error = await thrownBy(blobs(clientOf(service, { agent }).video.task("t-1")));
        expect(error).toBeInstanceOf(ServiceError);
        expect(String(error)).toContain("leads to this machine or into a private network");
      }
      expect([proxy.heads.length, service.requests.length]).toEqual([1, 2]);
      addresses.clear();
    },
  );
});

describe("the option agent is rejected when the client is created", () => {
  test.for([
    { agent: "http://user:secret@proxy" },
    { agent: {} },
    { agent: null },
    { agent: new https.Agent(), fetch },
  ])("%#", async (options) => {
    // The cast: most are errors of type as well.
    const wrong = async () => createMediaGen({ baseUrl: "http://localhost", ...options } as NodeMediaGenOptions);
    const error = await thrownBy(wrong());
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "agent", code: "invalid" }] });
    expect(shown(error)).not.toContain("secret");
  });
});
