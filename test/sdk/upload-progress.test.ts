import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMediaGen, type GenerateOptions, type UploadProgress } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { gate } from "./fake-service.ts";

const head = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const image = new Blob([head, new Uint8Array(1_000_000)], { type: "image/png" });
const bodies: number[] = [];
let statuses: number[] = [];
const server = createServer(async (request, response) => {
  let bytes = 0;
  for await (const piece of request) bytes += (piece as Buffer).length;
  bodies.push(bytes);
  const status = statuses.shift() ?? 200;
  const body = status === 200 ? JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1" } }) : "";
  response.writeHead(status, { "content-type": "application/json" }).end(body);
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

function generateOn(create: typeof createMediaGen, options: GenerateOptions, sourceImage?: Blob) {
  const media = create({ baseUrl, apiKey: "any", random: () => 0 });
  return media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage }, options);
}

describe("the progress of an upload", () => {
  test("is reported piece by piece with @mediagen/sdk/node, until all bytes of the request have left", async () => {
    const seen: UploadProgress[] = [];
    await generateOn(createNodeMediaGen, { onUploadProgress: (progress) => void seen.push(progress) }, image);
    const totalBytes = bodies.at(-1) ?? 0;
    expect(totalBytes).toBeGreaterThan(1_000_000);
    expect(seen[0]).toEqual({ bytes: 0, totalBytes });
    expect(seen.at(-1)).toEqual({ bytes: totalBytes, totalBytes });
    expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).toSorted((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(totalBytes / 65_536);
  });

  test("does not run ahead of a service that reads nothing", async () => {
    const [connected, done] = [gate(), gate()];
    const stuck = createServer((request, response) => {
      connected.resolve();
      void done.promise.then(() => {
        request
          .resume()
          .once("end", () => response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t" } })));
      });
    });
    await new Promise<void>((resolve) => stuck.listen(0, "127.0.0.1", resolve));
    const large = new Blob([head, new Uint8Array(30_000_000)]);
    let last: UploadProgress = { bytes: 0, totalBytes: 0 };
    const media = createNodeMediaGen({ baseUrl: `http://127.0.0.1:${(stuck.address() as AddressInfo).port}` });
    const onUploadProgress = (progress: UploadProgress) => void (last = progress);
    const generated = media.video.generate("vidmodelv2", { sourceImage: large }, { onUploadProgress });
    await connected.promise;
    // The system's buffers take some megabytes.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(last.bytes).toBeLessThan(20_000_000);
    done.resolve();
    await generated;
    expect(last.bytes).toBe(last.totalBytes);
    stuck.close();
  });

  test("starts at 0 again with each attempt", async () => {
    statuses = [429, 200];
    const starts: number[] = [];
    const onUploadProgress = ({ bytes }: UploadProgress) => bytes === 0 && starts.push(bytes);
    await generateOn(createNodeMediaGen, { onUploadProgress }, image);
    expect(starts).toHaveLength(2);
  });

  test.for<[string, typeof createMediaGen, Blob | undefined]>([
    ["with fetch, which does not tell", createMediaGen, image],
    ["of a form without files, with fetch", createMediaGen, undefined],
    ["of a form without files, with node:http", createNodeMediaGen, undefined],
  ])("is reported once, as complete, %s", async ([, create, sourceImage]) => {
    const seen: UploadProgress[] = [];
    const options = { onUploadProgress: (progress: UploadProgress) => void seen.push(progress) };
    await generateOn(create, options, sourceImage);
    const [totalBytes = 0] = bodies.slice(-1);
    expect(seen).toEqual([{ bytes: totalBytes, totalBytes }]);
  });

  test.for([createMediaGen, createNodeMediaGen])("costs no task if its listener throws or rejects", async (create) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    try {
      const broken = new RangeError("mine");
      const throws = () => {
        throw broken;
      };
      expect(await generateOn(create, { onUploadProgress: throws }, image)).toMatchObject({ taskid: "t-1" });
      expect(await generateOn(create, { onUploadProgress: async () => throws() }, image)).toMatchObject({
        taskid: "t-1",
      });
      const line = "mediagen: onUploadProgress threw error=RangeError";
      await vi.waitFor(() => expect(printed.mock.calls.length).toBeGreaterThanOrEqual(2));
      expect(new Set(printed.mock.calls.flat())).toEqual(new Set([line]));
    } finally {
      printed.mockRestore();
    }
  });
});
