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
import { Agent as UndiciAgent, fetch as undiciFetch, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { connectionRefused, errorOf, fetchError, success } from "./fake-service.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) void server.close().closeAllConnections();
});

/** A service that counts the generations, before it responds in its own way. */
async function service(respond: RequestListener): Promise<{ readonly baseUrl: string; readonly paid: () => number }> {
  let paid = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/")) paid++;
    request.resume().on("end", () => respond(request, response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paid: () => paid };
}

describe.for([
  ["@mediagen/sdk", createMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
] as const)("a custom fetch function with %s", ([, create]) => {
  const client = (options: MediaGenOptions) =>
    create({ apiKey: "any", retries: 4, clock: { random: () => 0 }, ...options });
  const generate = (options: MediaGenOptions) => client(options).image.generate("imgmodelz", { prompt: "A fox" });

  test.for<[string, Fetch]>([
    // The cast: if the DOM's types are there as well, Node's Blob is not theirs.
    ["undici's", undiciFetch as Fetch],
    ["node-fetch's", nodeFetch],
    ["the runtime's", fetch],
  ])("may be %s: it sends files, and receives records and results", async ([, fetch]) => {
    const emulator = createEmulator();
    const { apiKey, clock } = emulator.client;
    const server = await listen(emulator);
    try {
      const media = client({ baseUrl: server.baseUrl, apiKey, clock, fetch });
      const image = await media.image.generate("imgmodelz", { prompt: "A fox" });
      await image.wait();
      const task = await media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage: await blobs(image) });
      await task.wait();
      expect((await blobs(task)).map(({ type }) => type)).toEqual(["video/mp4"]);
    } finally {
      await server.close();
    }
  });

  test.for([
    ["a closed port", 0, "", "http://127.0.0.1:1/elsewhere"],
    ["a 404", 404, "no", "/elsewhere"],
    ["a rejection", 200, '{"code":9999,"msg":"no"}', "/elsewhere"],
    ["HTTP 429", 429, "later", "/elsewhere"],
  ] as const)(
    "that follows a redirect to %s sends once, and the outcome is unknown",
    async ([, status, body, location]) => {
      const { baseUrl, paid } = await service(({ url }, response) => {
        if (url === "/elsewhere") response.writeHead(status).end(body);
        else response.writeHead(307, { location }).end();
      });
      const following: Fetch = (url, { redirect: _, ...init }) => fetch(url, init);
      for (const fetchSendsOnce of status === 0 ? [false] : [false, true])
        expect(await errorOf(generate({ baseUrl, fetch: following, fetchSendsOnce }))).toBeInstanceOf(
          OutcomeUnknownError,
        );
      expect(paid()).toBe(status === 0 ? 1 : 2);
    },
  );

  test.for([
    ["a refused connection", connectionRefused, ConnectionError],
    ["a bad certificate", fetchError({ code: "CERT_HAS_EXPIRED" }), ConnectionError],
    ["an error of this package", new InvalidRequestError("other", []), OutcomeUnknownError],
  ] as const)(
    "that rejects with %s is no evidence, unless it sends each request once",
    async ([, error, otherwise]) => {
      const options = { baseUrl: "http://localhost", fetch: () => Promise.reject(error) };
      expect(await errorOf(generate(options))).toBeInstanceOf(OutcomeUnknownError);
      expect(await errorOf(generate({ ...options, fetchSendsOnce: true }))).toBeInstanceOf(otherwise);
    },
  );

  test.for<[string, (agent: Agent) => Fetch]>([
    [
      "node-fetch's, which passes on the code of node:https",
      (agent) => (url, init) => nodeFetch(url, { ...init, agent }),
    ],
    ["undici's", () => undiciFetch as Fetch],
  ])("is no evidence if a TLS session breaks once the request has left: %s", async ([, createFetch]) => {
    const certificate = makeCertificate("localhost");
    let paid = 0;
    const takes = createTlsServer(
      { ...certificate, maxVersion: "TLSv1.2" },
      (request) => void (paid++, request.resume()),
    );
    servers.push(takes);
    await new Promise<void>((resolve) => takes.listen(0, "127.0.0.1", resolve));
    // Between client and service: plain HTTP into the session, as a broken gateway sends it.
    const relay = createRelay((client) => {
      const service = connect((takes.address() as AddressInfo).port, "127.0.0.1");
      takes.once("request", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
      for (const socket of [client, service]) socket.on("error", () => undefined);
      client.pipe(service).pipe(client, { end: false });
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const usual = getGlobalDispatcher();
    setGlobalDispatcher(new UndiciAgent({ connect: { ca: certificate.cert } }));
    try {
      const baseUrl = `https://localhost:${(relay.address() as AddressInfo).port}`;
      const fetch = createFetch(new Agent({ ca: certificate.cert }));
      const call = generate({ baseUrl, fetch, fetchSendsOnce: true, retries: 2, generateTimeoutMs: 5_000 });
      expect(await errorOf(call)).toBeInstanceOf(OutcomeUnknownError);
      expect(paid).toBe(1);
    } finally {
      setGlobalDispatcher(usual);
      relay.close();
    }
  });

  test("is called as the function fetch(url, init), without what only the runtime's accepts", async () => {
    const calls: unknown[] = [];
    async function recording(this: unknown, ...call: Parameters<Fetch>): Promise<Response> {
      calls.push(this, ...call);
      return success({ taskid: "t-1" });
    }
    await generate({ baseUrl: "http://localhost", fetch: recording });
    expect(calls).toEqual([
      undefined,
      "http://localhost/v1/images/imgmodelz",
      {
        method: "POST",
        headers: { authorization: "any", "user-agent": expect.stringMatching(/^mediagen\//) },
        body: expect.any(Blob),
        redirect: "error",
        signal: expect.any(AbortSignal),
      },
    ]);
  });
});
