import { createServer, type RequestListener, type Server } from "node:http";
import { Agent, createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createRelay } from "node:net";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  type Fetch,
  InvalidRequestError,
  type MediaGenOptions,
  OutcomeUnknownError,
} from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { createEmulator, listen } from "@mediagen/emulator/node";
import nodeFetch from "node-fetch";
import {
  Agent as UndiciAgent,
  fetch as undiciFetch,
  getGlobalDispatcher,
  ProxyAgent,
  type RequestInit,
  setGlobalDispatcher,
} from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { connectionRefused, errorOf, fetchError, success } from "./fake-service.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) void server.close().closeAllConnections();
});

/** A server of its own for each test; resolves to its URL. */
async function serve(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service that takes every generation, and counts them, before it responds in its own way. */
async function service(respond: RequestListener): Promise<{ readonly baseUrl: string; readonly paid: () => number }> {
  let paid = 0;
  const baseUrl = await serve(
    createServer((request, response) => {
      if (request.url?.startsWith("/v1/")) paid++;
      request.resume().on("end", () => respond(request, response));
    }),
  );
  return { baseUrl, paid: () => paid };
}

const entries = { "@mediagen/sdk": createMediaGen, "@mediagen/sdk/node": createNodeMediaGen } as const;

describe.for(Object.entries(entries))("a fetch function of the caller's, with %s", ([, create]) => {
  const client = (options: MediaGenOptions) =>
    create({ apiKey: "any", retries: 4, clock: { random: () => 0 }, ...options });
  const generate = (options: MediaGenOptions) => client(options).image.generate("imgmodelz", { prompt: "A fox" });

  test.for<[string, Fetch]>([
    // The cast: where the DOM's types are there as well, Node's Blob is not theirs.
    ["undici's", undiciFetch as Fetch],
    ["node-fetch's", nodeFetch],
    ["the runtime's", fetch],
  ])("may be %s: files leave, records and results arrive", async ([, fetch]) => {
    const emulator = createEmulator();
    const { apiKey, clock } = emulator.client;
    const server = await listen(emulator);
    try {
      const media = client({ baseUrl: server.baseUrl, apiKey, clock, fetch });
      const image = await media.image.generate("imgmodelz", { prompt: "A fox" });
      await image.wait();
      const task = await media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage: await blobs(image) });
      await task.wait();
      const [clip] = await blobs(task);
      expect(clip?.type).toBe("video/mp4");
    } finally {
      await server.close();
    }
  });

  test("may go through a proxy", async () => {
    const { baseUrl } = await service((_, response) => response.end('{"code":1000,"msg":"","data":{"taskid":"t-1"}}'));
    const tunnels: (string | undefined)[] = [];
    const proxy = createServer().on("connect", ({ url }, socket) => {
      tunnels.push(url);
      const [host, port] = url?.split(":") ?? [];
      const upstream = connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      socket.pipe(upstream).pipe(socket);
    });
    const dispatcher = new ProxyAgent({ uri: await serve(proxy), proxyTunnel: true });
    const task = await generate({
      baseUrl,
      fetch: (url, init) => undiciFetch(url, { ...init, dispatcher } as RequestInit),
    });
    expect([task.taskid, tunnels]).toEqual(["t-1", [new URL(baseUrl).host]]);
    await dispatcher.close();
  });

  test("that follows a redirect to a dead port pays once, and the outcome is unknown", async () => {
    const { baseUrl, paid } = await service((_, response) => {
      response.writeHead(307, { location: "http://127.0.0.1:1/elsewhere" }).end();
    });
    const following: Fetch = (url, { redirect: _, ...init }) => fetch(url, init);
    expect(await errorOf(generate({ baseUrl, fetch: following }))).toBeInstanceOf(OutcomeUnknownError);
    expect(paid()).toBe(1);
  });

  test.for([
    ["a 404", 404, "no"],
    ["a rejection", 200, '{"code":9999,"msg":"no"}'],
    ["HTTP 429", 429, "later"],
  ] as const)("that follows a redirect to %s leaves the outcome unknown", async ([, status, body]) => {
    const { baseUrl, paid } = await service(({ url }, response) => {
      if (url === "/elsewhere") response.writeHead(status).end(body);
      else response.writeHead(307, { location: "/elsewhere" }).end();
    });
    for (const fetchSendsOnce of [false, true]) {
      const following: Fetch = (url, { redirect: _, ...init }) => fetch(url, init);
      const error = await errorOf(generate({ baseUrl, fetch: following, fetchSendsOnce }));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
    }
    expect(paid()).toBe(2);
  });

  test.for([
    ["a refused connection", connectionRefused],
    ["a bad certificate", fetchError({ code: "CERT_HAS_EXPIRED" })],
    ["an error of this package", new InvalidRequestError("other", [])],
  ])("that rejects with %s proves nothing, unless it is said to send each request once", async ([, error]) => {
    const baseUrl = "http://localhost";
    expect(await errorOf(generate({ baseUrl, fetch: () => Promise.reject(error) }))).toBeInstanceOf(
      OutcomeUnknownError,
    );
    const isOurs = error instanceof InvalidRequestError;
    const said = generate({ baseUrl, fetch: () => Promise.reject(error), fetchSendsOnce: true });
    expect(await errorOf(said)).toBeInstanceOf(isOurs ? OutcomeUnknownError : ConnectionError);
  });

  test.for<[string, (agent: Agent) => Fetch]>([
    [
      "node-fetch's, which passes on the code of node:https,",
      (agent) => (url, init) => nodeFetch(url, { ...init, agent }),
    ],
    ["undici's", () => undiciFetch as Fetch],
  ])("that is %s knows no evidence of a TLS session that breaks once the request has left", async ([, createFetch]) => {
    const certificate = makeCertificate("localhost");
    let paid = 0;
    const takes = createTlsServer(
      { ...certificate, maxVersion: "TLSv1.2" },
      (request) => void (paid++, request.resume()),
    );
    const { port } = new URL(await serve(takes));
    // Between client and service: plain HTTP into the session, as a broken gateway sends it.
    const relay = createRelay((client) => {
      const service = connect(Number(port), "127.0.0.1");
      takes.once("request", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
      for (const socket of [client, service]) socket.on("error", () => undefined);
      client.pipe(service).pipe(client, { end: false });
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const agent = new Agent({ ca: certificate.cert });
    const usual = getGlobalDispatcher();
    setGlobalDispatcher(new UndiciAgent({ connect: { ca: certificate.cert } }));
    try {
      const baseUrl = `https://localhost:${(relay.address() as AddressInfo).port}`;
      const fetch = createFetch(agent);
      const error = await errorOf(
        generate({ baseUrl, fetch, fetchSendsOnce: true, retries: 2, generateTimeoutMs: 5_000 }),
      );
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(paid).toBe(1);
    } finally {
      setGlobalDispatcher(usual);
      relay.close();
    }
  });

  test("is called as fetch(url, init), with nothing that only the runtime's takes", async () => {
    const calls: unknown[][] = [];
    const recording: Fetch = async (...call) => (calls.push(call), success({ taskid: "t-1" }));
    await generate({ baseUrl: "http://localhost", fetch: recording });
    expect(calls).toEqual([
      [
        "http://localhost/v1/images/imgmodelz",
        {
          method: "POST",
          headers: { authorization: "any", "user-agent": expect.stringMatching(/^mediagen\//) },
          body: expect.any(Blob),
          redirect: "error",
          signal: expect.any(AbortSignal),
        },
      ],
    ]);
  });
});
