import http from "node:http";
import https from "node:https";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { blobs, createMediaGen, type GenerationStore, memoryStore } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { reply } from "../faults/replies.ts";
import { startRawServer } from "../faults/raw-server.ts";
import { errorOf, sharedStore, throwing } from "./fake-service.ts";
import { addresses, leadNamesHere } from "./names-here.ts";
import { clientAt, startProxy, startService } from "./proxy-server.ts";

leadNamesHere();
const ofExample = makeCertificate("*.example.com");
const ofClient = makeCertificate("client");
const ca = ofExample.cert;
const result = Buffer.from("result");
const form = { prompt: "A fox" };
const unsent = (says = "") => ({
  name: "ConnectionError",
  message: expect.stringMatching(new RegExp(`nothing was sent.*${says}`)) as string,
});

/** A service that records who its clients are, with its results at another name. */
const startTls = () =>
  startService("https://results.example.com:PORT/1.png", result, {
    ...ofExample,
    requestCert: true,
    ca: ofClient.cert,
    rejectUnauthorized: false,
  });

/** An agent whose requests use this connection. */
const agentThat = (createConnection: (options: http.RequestOptions) => Socket | undefined) =>
  Object.assign(new http.Agent(), { createConnection });

/**
 * An agent whose requests go through a proxy, as in some packages: its sockets are not yet secured
 * when requests get them.
 */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxyUrl: string) {
    super();
    this.#proxy = new URL(proxyUrl);
  }

  // The cast: Node's agents take a callback, and merge their options into those of the connection.
  override createConnection = ((
    options: https.RequestOptions,
    callback: (error: unknown, socket?: unknown) => void,
  ) => {
    const { hostname: host, port } = this.#proxy;
    const request = http.request({
      host,
      port,
      method: "CONNECT",
      path: `${options.host}:${options.port}`,
    });
    request.once("error", callback).once("connect", ({ statusCode }, socket) => {
      // As in some packages, the response of the proxy becomes that of the request.
      if (statusCode === 200)
        callback(null, connectTls({ ca, socket, servername: "media.example.com" }));
      else callback(null, socket);
    });
    request.end();
  }) as unknown as https.Agent["createConnection"];
}

describe("an agent", () => {
  afterEach(() => vi.useRealTimers());

  test("connects every request and every result: with its authority and client certificate (mTLS)", async () => {
    await using service = await startTls();
    const agent = new https.Agent({ ca, cert: ofClient.cert, key: ofClient.key });
    const task = await clientAt(service, { agent }).video.generate("vidmodelv2", form);
    await task.wait();
    const [blob] = await blobs(task, { allowPrivateHosts: true });
    expect(await blob?.text()).toBe("result");
    expect(service.clients).toEqual(Array(3).fill("test client"));
  });

  test("of the other protocol sends nothing", async () => {
    await using service = await startTls();
    const { video } = clientAt(service, { agent: new http.Agent() });
    expect(await errorOf(video.generate("vidmodelv2", form))).toMatchObject(
      unsent('Protocol "https:" not supported'),
    );
    expect(service.requests).toEqual([]);
  });

  test.for<[string, () => Socket | undefined]>([
    ["gives no connection", () => undefined],
    // Its name is never found.
    [
      "gives one that is never established",
      () => connect({ host: "a.example.com", port: 1, lookup: () => undefined }),
    ],
    ["fails to open one", throwing(new Error("CONNECT failed with 403"))],
  ])("that %s sends nothing", async ([, createConnection]) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const media = createMediaGen({
      baseUrl: "http://127.0.0.1:1",
      retries: 0,
      agent: agentThat(createConnection),
    });
    const error = errorOf(media.video.generate("vidmodelv2", form));
    // The transport is loaded first.
    await expect
      .poll(() => {
        vi.advanceTimersByTime(10_000);
        return Promise.race([error, undefined]);
      })
      .toMatchObject(unsent());
  });

  test("whose connection is established as the caller aborts sends nothing, and nothing is recorded as sending", async () => {
    await using service = await startService("http://localhost/1.png", result);
    const controller = new AbortController();
    const abort = () => controller.abort("enough");
    const agent = agentThat(({ port }) =>
      connect({ host: "127.0.0.1", port: Number(port) }).once("connect", abort),
    );
    const store = sharedStore();
    const { video } = createMediaGen({ baseUrl: `http://127.0.0.1:${service.port}`, agent, store });
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    expect(await errorOf(video.generate("vidmodelv2", form, options))).toBe("enough");
    expect([service.requests, store.states()]).toEqual([[], ["claimed", "notCreated"]]);
  });

  test("may bring a request through a proxy, and nothing leaves before its TLS session is established", async () => {
    await using service = await startTls();
    await using proxy = await startProxy();
    const generate = (url: string) =>
      clientAt(service, { agent: new TunnelAgent(url), retries: 1 }).video.generate(
        "vidmodelv2",
        form,
      );
    expect((await generate(proxy.url)).taskid).toBe("t-1");
    await using cuts = await startProxy({ onData: (socket) => void socket.destroy() });
    expect(await errorOf(generate(cuts.url))).toMatchObject(unsent());
    expect([service.requests.length, cuts.targets.length]).toEqual([1, 2]);
  });

  test("whose proxy rejects the tunnel gives a connection without TLS, through which nothing leaves", async () => {
    let received = "";
    await using proxy = await startProxy({
      onConnect: (socket) => {
        socket.on("data", (bytes: Buffer) => (received += bytes.toString("latin1")));
        socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      },
    });
    const { video } = clientAt({ port: 1 }, { agent: new TunnelAgent(proxy.url), retries: 1 });
    for (const call of [() => video.generate("vidmodelv2", form), () => video.query("t-1")])
      expect(await errorOf(call())).toMatchObject(unsent("opened no TLS session"));
    expect([received, proxy.targets.length]).toEqual(["", 4]);
  });

  test("that gives a generation a used connection, which the server has closed, proves nothing", async () => {
    // It closes the connection as soon as the second request begins: nobody knows whether it has
    // read it.
    const server = await startRawServer({
      onRequest: (socket, _, nth) => void (nth === 1 ? socket.write(reply()) : socket.destroy()),
    });
    const agent = new http.Agent({ keepAlive: true });
    const media = createMediaGen({ baseUrl: server.baseUrl, agent, retries: 3 });
    await media.video.query("t-1");
    expect(await errorOf(media.video.generate("vidmodelv2", form))).toHaveProperty(
      "name",
      "OutcomeUnknownError",
    );
    expect([server.connections, server.heads]).toEqual([1, 2]);
    await server.close();
  });

  test("that gives a generation a used connection, which breaks before it is written to, proves nothing either", async () => {
    await using service = await startService("http://localhost/1.png", result);
    const agent = new http.Agent({ keepAlive: true });
    const memory = memoryStore();
    // The store is the last that is waited for before a request is written.
    const store: GenerationStore = {
      ...memory,
      write(entry) {
        if (entry.state === "sending")
          Object.values(agent.sockets).flat()[0]?.destroy(new Error("stale"));
        return memory.write(entry);
      },
    };
    const media = createMediaGen({
      baseUrl: `http://127.0.0.1:${service.port}`,
      agent,
      retries: 3,
      store,
    });
    await media.video.query("t-1");
    expect(await errorOf(media.video.generate("vidmodelv2", form))).toHaveProperty(
      "name",
      "OutcomeUnknownError",
    );
    expect(service.requests).toHaveLength(1);
  });

  test("that gives a generation its only connection has it back if the store fails before anything is sent", async () => {
    await using service = await startService("http://localhost/1.png", result);
    const memory = memoryStore();
    const write = vi.fn(memory.write);
    const media = createMediaGen({
      baseUrl: `http://127.0.0.1:${service.port}`,
      agent: new http.Agent({ keepAlive: true, maxSockets: 1 }),
      queryTimeoutMs: 5_000,
      store: { ...memory, write },
      onEvent: () => undefined,
    });
    await media.video.query("t-1");
    write.mockRejectedValue(new Error("disk full"));
    const error = await errorOf(media.video.generate("vidmodelv2", form));
    expect(error).toMatchObject({ name: "StoreError", billed: "no" });
    await media.video.query("t-1");
    expect(service.requests).toHaveLength(2);
  });

  test.for(["10.0.0.1", "private.example.com"])("requests no result from %s", async (host) => {
    addresses.set("private.example.com", "10.0.0.1").set("media.example.com", "127.0.0.1");
    await using service = await startService(`https://${host}:PORT/1.png`, result, ofExample);
    await using proxy = await startProxy();
    for (const agent of [new TunnelAgent(proxy.url), new https.Agent({ ca })]) {
      const error = await errorOf(blobs(clientAt(service, { agent }).video.task("t-1")));
      expect(error).toHaveProperty("name", "ServiceError");
      expect(String(error)).toContain("leads to this machine or into a private network");
    }
    expect([proxy.targets.length, service.requests.length]).toEqual([1, 2]);
    addresses.clear();
  });
});
