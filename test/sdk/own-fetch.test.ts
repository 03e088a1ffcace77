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
import { fetch as undiciFetch } from "undici";
import { describe, expect, test } from "vitest";
import { serve } from "../serve.ts";
import { connectionRefused, errorOf, fetchError, success } from "./fake-service.ts";

const baseUrl = "http://localhost";
const generateWith = (options: MediaGenOptions, create = createMediaGen) =>
  errorOf(
    create({ apiKey: "any", retries: 4, clock: { random: () => 0 }, ...options }).image.generate(
      "imgmodelz",
      {
        prompt: "A fox",
      },
    ),
  );

test.for<[string, Fetch]>([
  // The cast: if the DOM's types are there as well, Node's Blob is not theirs.
  ["undici's", undiciFetch as Fetch],
  ["node-fetch's", nodeFetch],
  ["the runtime's", fetch],
])(
  "a custom fetch function may be %s: it sends files, and receives records and results",
  async ([, fetch]) => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    try {
      const media = createMediaGen({ ...emulator.client, baseUrl: server.baseUrl, fetch });
      const image = await media.image.generate("imgmodelz", { prompt: "A fox" });
      await image.wait();
      const task = await media.video.generate("vidmodelv2", {
        prompt: "A fox",
        sourceImage: await blobs(image),
      });
      await task.wait();
      expect((await blobs(task)).map(({ type }) => type)).toEqual(["video/mp4"]);
    } finally {
      await server.close();
    }
  },
);

const unknown = { name: "OutcomeUnknownError" };
test.for([
  ["a closed port", 0, "", "http://127.0.0.1:1/elsewhere", unknown],
  ["a 404", 404, "no", "/elsewhere", unknown],
  ["a rejection", 200, '{"code":9999,"msg":"no"}', "/elsewhere", unknown],
  ["HTTP 429", 429, "later", "/elsewhere", unknown],
  [
    "a task",
    200,
    '{"code":1000,"msg":"","data":{"taskid":"t-1"}}',
    "/elsewhere",
    { taskid: "t-1" },
  ],
] as const)(
  "a fetch function that follows a redirect to %s sends once",
  async ([, status, body, location, outcome]) => {
    let paid = 0;
    await using service = await serve((request, response) => {
      if (request.url?.startsWith("/v1/")) paid++;
      request.resume().once("end", () => {
        if (request.url === "/elsewhere") response.writeHead(status).end(body);
        else response.writeHead(307, { location }).end();
      });
    });
    const { baseUrl } = service;
    const following: Fetch = (url, { redirect: _, ...init }) => fetch(url, init);
    // A rejected connection is proof if the function promises to send once, which this one does
    // not.
    const promises = status === 0 ? [false] : [false, true];
    for (const fetchSendsOnce of promises)
      expect(await generateWith({ baseUrl, fetch: following, fetchSendsOnce })).toMatchObject(
        outcome,
      );
    expect(paid).toBe(promises.length);
  },
);

describe.for([
  ["@mediagen/sdk", createMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
] as const)("a custom fetch function with %s", ([, create]) => {
  test.for([
    ["a rejected connection", connectionRefused, ConnectionError],
    ["a bad certificate", fetchError({ code: "CERT_HAS_EXPIRED" }), ConnectionError],
    ["an error of this package", new InvalidRequestError("other", []), OutcomeUnknownError],
  ] as const)(
    "that rejects with %s proves nothing, unless it sends each request once",
    async ([, error, otherwise]) => {
      const options = { baseUrl, fetch: () => Promise.reject(error) };
      expect(await generateWith(options, create)).toBeInstanceOf(OutcomeUnknownError);
      expect(await generateWith({ ...options, fetchSendsOnce: true }, create)).toBeInstanceOf(
        otherwise,
      );
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
    const body = expect.any(Blob);
    const signal = expect.any(AbortSignal);
    const init = { method: "POST", headers, body, redirect: "error", signal };
    expect(calls).toEqual([undefined, "http://localhost/v1/images/imgmodelz", init]);
  });
});
