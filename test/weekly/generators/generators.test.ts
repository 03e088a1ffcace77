import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { createEmulator } from "@mediagen/emulator";
import { listen } from "@mediagen/emulator/node";
import { fromOpenApi } from "@mswjs/source/open-api";
import { setupServer } from "msw/node";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Client, Access } from "./clients/client.ts";
import { published } from "./setup.ts";

const text = await readFile(published, "utf8");
const emulator = createEmulator();
const server = await listen(emulator);
afterAll(() => server.close());
beforeEach(() => emulator.reset());

const png = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])], "a.png", {
  type: "image/png",
});

test.each(["hey-api", "orval", "openapi-zod-client", "oazapfts", "swagger-typescript-api"])(
  "a client of %s generates from files, queries, deletes, and reads a failure",
  async (name) => {
    const { create } = (await import(`./clients/${name}.ts`)) as { create(access: Access): Client };
    const client = create({ baseUrl: server.baseUrl, apiKey: emulator.client.apiKey });
    const image = await client.generateImage({
      prompt: "A fox",
      batchsize: 2,
      "sourceImage.items": png,
    });
    const video = await client.generateVideo({
      prompt: "A fox",
      duration: 5,
      "sourceImage.items": [png, png],
    });
    const file = { part: "sourceImage.items", size: png.size };
    expect(emulator.tasks).toMatchObject([
      { taskid: image.data?.taskid, plan: { count: 2 }, files: [file] },
      { taskid: video.data?.taskid, files: [file, file] },
    ]);
    const taskid = video.data?.taskid ?? "";
    expect(await client.queryVideo(taskid)).toMatchObject({ code: 1000, data: { url: [] } });
    emulator.clock.advance("10m");
    expect(await client.queryVideo(taskid)).toMatchObject({
      code: 1000,
      data: { url: [expect.any(String)] },
    });
    expect(await client.deleteVideo(taskid)).toMatchObject({
      code: 1000,
      data: { status: "Success" },
    });
    expect(emulator.tasks).toHaveLength(1);
    expect(await client.queryVideo("none")).toEqual({ code: 9999, msg: expect.any(String) });
  },
);

test("the clients compile in strict mode", async () => {
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const compiling = promisify(execFile)(process.execPath, [compiler, "-p", import.meta.dirname]);
  const { stdout } = await compiling.catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

test.each(["orval", "openapi-zod-client"])(
  "the zod schemas of %s tell success from failure by the code",
  async (name) => {
    const outcomes =
      name === "orval"
        ? (await import("./out/orval/zod.ts")).QueryVideoTaskResponse
        : await ofZodClient();
    const accepts = (envelope: object) => outcomes.safeParse(envelope).success;
    expect(accepts({ code: 1000, msg: "", data: { taskid: "t-1", url: [] } })).toBe(true);
    expect(accepts({ code: 9999, msg: "" })).toBe(true);
    expect(accepts({ code: 1000, msg: "" })).toBe(false);
  },
);

async function ofZodClient() {
  const { schemas } = await import("./out/openapi-zod-client.ts");
  const { VideoTaskEnvelope, FailureEnvelope, InsufficientCreditsEnvelope } = schemas;
  return VideoTaskEnvelope.or(FailureEnvelope).or(InsufficientCreditsEnvelope);
}

test("swagger-parser finds the description valid", async () => {
  expect(await SwaggerParser.validate(JSON.parse(text))).toBeDefined();
});

test("@mswjs/source makes a handler of each operation that MSW matches", async () => {
  const { servers, paths } = JSON.parse(text) as {
    servers: { url: string }[];
    paths: Record<string, unknown>;
  };
  const mocks = setupServer(...(await fromOpenApi(text)));
  mocks.listen({ onUnhandledRequest: "error" });
  try {
    for (const path of Object.keys(paths)) {
      const response = await fetch((servers[0]?.url ?? "") + path, { method: "POST" });
      expect(await response.json(), path).toMatchObject({
        code: expect.any(Number),
        msg: expect.any(String),
      });
    }
    expect(Object.keys(paths)).toHaveLength(11);
  } finally {
    mocks.close();
  }
});
