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

const servers: (Server | ReturnType<typeof createRelay>)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
});

async function portOf(server: (typeof servers)[number]): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A service that counts the generations, before it responds in its own way. */
async function service(respond: RequestListener): Promise<{ readonly baseUrl: string; readonly paid: () => number }> {
  let paid = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/")) paid++;
    request.resume().on("end", () => respond(request, response));
  });
  return { baseUrl: `http://127.0.0.1:${await portOf(server)}`, paid: () => paid };
}

const baseUrl = "http://localhost";
const generateWith = (options: MediaGenOptions, create = createMediaGen) =>
  errorOf(
    create({ apiKey: "any", retries: 4, clock: { random: () => 0 }, ...options }).image.generate("imgmodelz", {
      prompt: "A fox",
    }),
  );

test.for<[string, Fetch]>([
  // The cast: if the DOM's types are there as well, Node's Blob is not theirs.
  ["undici's", undiciFetch as Fetch],
  ["node-fetch's", nodeFetch],
  ["the runtime's", fetch],
])("a custom fetch function may be %s: it sends files, and receives records and results", async ([, fetch]) => {
  const emulator = createEmulator();
  const server = await listen(emulator);
  try {
    const media = createMediaGen({ ...emulator.client, baseUrl: server.baseUrl, fetch });
    const image = await media.image.generate("imgmodelz", { prompt: "A fox" });
    await image.wait();
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage: await blobs(image) });
    await task.wait();
    expect((await blobs(task)).map(({ type }) => type)).toEqual(["video/mp4"]);
  } finally {
    await server.close();
  }
});

const unknown = { name: "OutcomeUnknownError" };
test.for([
  ["a closed port", 0, "", "http://127.0.0.1:1/elsewhere", unknown],
  ["a 404", 404, "no", "/elsewhere", unknown],
  ["a rejection", 200, '{"code":9999,"msg":"no"}', "/elsewhere", unknown],
  ["HTTP 429", 429, "later", "/elsewhere", unknown],
  ["a task", 200, '{"code":1000,"msg":"","data":{"taskid":"t-1"}}', "/elsewhere", { taskid: "t-1" }],
] as const)(
  "a fetch function that follows a redirect to %s sends once",
  async ([, status, body, location, outcome]) => {
    const { baseUrl, paid } = await service(({ url }, response) => {
      if (url === "/elsewhere") response.writeHead(status).end(body);
      else response.writeHead(307, { location }).end();
    });
    const following: Fetch = (url, { redirect: _, ...init }) => fetch(url, init);
    // A refused connection is proof if the function promises to send once, which this one does not.
    const promises = status === 0 ? [false] : [false, true];
    for (const fetchSendsOnce of promises)
      expect(await generateWith({ baseUrl, fetch: following, fetchSendsOnce })).toMatchObject(outcome);
    expect(paid()).toBe(promises.length);
  },
);

describe.for([
  ["@mediagen/sdk", createMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
] as const)("a custom fetch function with %s", ([, create]) => {
  test.for([
    ["a refused connection", connectionRefused, ConnectionError],
    ["a bad certificate", fetchError({ code: "CERT_HAS_EXPIRED" }), ConnectionError],
    ["an error of this package", new InvalidRequestError("other", []), OutcomeUnknownError],
  ] as const)(
    "that rejects with %s proves nothing, unless it sends each request once",
    async ([, error, otherwise]) => {
      const options = { baseUrl, fetch: () => Promise.reject(error) };
      expect(await generateWith(options, create)).toBeInstanceOf(OutcomeUnknownError);
      expect(await generateWith({ ...options, fetchSendsOnce: true }, create)).toBeInstanceOf(otherwise);
    },
  );

  test("is called as the function fetch(url, init), without what only the runtime's accepts", async () => {
    const calls: unknown[] = [];
    async function recording(this: unknown, ...call: Parameters<Fetch>): Promise<Response> {
      calls.push(this, ...call);
      return success({ taskid: "t-1" });
    }
    await generateWith({ baseUrl, fetch: recording }, create);
    const headers = { authorization: "any", "user-agent": expect.stringMatching(/^mediagen\//) };
    const [body, signal] = [expect.any(Blob), expect.any(AbortSignal)];
    const init = { method: "POST", headers, body, redirect: "error", signal };
    expect(calls).toEqual([undefined, "http://localhost/v1/images/imgmodelz", init]);
  });
});

test.for<[string, (agent: Agent) => Fetch]>([
  [
    "node-fetch's, which passes on the code of node:https",
    (agent) => (url, init) => nodeFetch(url, { ...init, agent }),
  ],
  ["undici's", () => undiciFetch as Fetch],
])("a TLS session that breaks once the request has left proves nothing: %s", async ([, createFetch]) => {
  const certificate = makeCertificate("localhost");
  let paid = 0;
  const takes = createTlsServer(
    { ...certificate, maxVersion: "TLSv1.2" },
    (request) => void (paid++, request.resume()),
  );
  const port = await portOf(takes);
  // Between client and service: plain HTTP into the session, as a broken gateway sends it.
  const relay = createRelay((client) => {
    const service = connect(port, "127.0.0.1");
    takes.once("request", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    for (const socket of [client, service]) socket.on("error", () => undefined);
    client.pipe(service).pipe(client, { end: false });
  });
  const usual = getGlobalDispatcher();
  setGlobalDispatcher(new UndiciAgent({ connect: { ca: certificate.cert } }));
  try {
    const baseUrl = `https://localhost:${await portOf(relay)}`;
    const fetch = createFetch(new Agent({ ca: certificate.cert }));
    const outcome = await generateWith({ baseUrl, fetch, fetchSendsOnce: true, generateTimeoutMs: 5_000 });
    expect(outcome).toBeInstanceOf(OutcomeUnknownError);
    expect(paid).toBe(1);
  } finally {
    setGlobalDispatcher(usual);
  }
});
