import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createMediaGen } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { fileFrom } from "@mediagen/sdk/node";
import { afterAll, beforeEach, expect, test } from "vitest";
import { png } from "./cases.ts";

interface Arrived {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body, a character a byte. */
  readonly body: string;
}

const arrived: Arrived[] = [];
const server = createServer(async (request, response) => {
  const body = (await buffer(request)).toString("latin1");
  arrived.push({ path: request.url ?? "", headers: request.headers, body });
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ code: 1000, msg: "ok", data: { taskid: "t-1" } }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => server.close());
beforeEach(() => void arrived.splice(0));

const options = { apiKey: "key", baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/below` };
const media = createMediaGen(options);

/** The parts of the only request that arrived: their heads and their bytes. */
function parts(): { head: string; body: string }[] {
  expect(arrived).toHaveLength(1);
  const [request] = arrived;
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(String(request?.headers["content-type"]))?.[1];
  const between = request?.body.split(`--${boundary}`).slice(1, -1) ?? [];
  return between.map((part) => {
    const [head = "", ...rest] = part.replace(/^\r\n/, "").replace(/\r\n$/, "").split("\r\n\r\n");
    return { head, body: rest.join("\r\n\r\n") };
  });
}

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer()).toString("latin1");

test("a form arrives below the base URL, with the key, field by field", async () => {
  await media.video.generate("vidmodelv2", {
    prompt: "A 🦊\nruns",
    duration: 5,
    generate_audio: true,
    websearch: "0",
    fps: 30,
    seed: -7,
  });
  expect(arrived[0]).toMatchObject({ path: "/below/v1/video/vidmodelv2", headers: { authorization: "key" } });
  expect(parts()).toEqual(
    [
      ["prompt", Buffer.from("A 🦊\r\nruns").toString("latin1")],
      ["duration", "5"],
      ["generate_audio", "1"],
      ["websearch", "0"],
      ["fps", "30"],
      ["seed", "-7"],
    ].map(([name, body]) => ({ head: `Content-Disposition: form-data; name="${name}"`, body })),
  );
});

test("files go into the part with the ending .items, one part a file, with name, type and bytes", async () => {
  const last = await fileFrom(new Uint8Array([0xff, 0xd8, 0xff, 0, 13, 10, 255]), { name: "last.jpg" });
  await media.video.generate("vidmodelv2", { sourceImage: [png, last] });
  const head = (name: string, type: string) =>
    `Content-Disposition: form-data; name="sourceImage.items"; filename="${name}"\r\nContent-Type: ${type}`;
  expect(parts()).toEqual([
    { head: head("first.png", "image/png"), body: await bytesOf(png) },
    { head: head("last.jpg", "image/jpeg"), body: "\xff\xd8\xff\0\r\n\xff" },
  ]);
});

test("one file needs no list, and a string of the same field goes into the text part", async () => {
  await media.image.generate("imgmodelv4", { prompt: "A fox", sourceImage: png });
  expect(parts()[1]?.head).toContain('name="sourceImage.items"; filename="first.png"');
  arrived.splice(0);
  await media.video.generate("vidmodelv15pro", { sourceImage: "somewhere" });
  expect(parts()).toEqual([{ head: 'Content-Disposition: form-data; name="sourceImage"', body: "somewhere" }]);
});

test("a Blob without a name gets one, and a name that servers stumble over is mended", async () => {
  const blob = new Blob([png], { type: "image/png" });
  const odd = new File([png], 'C:\\pictures\\a;b="c".png', { type: "image/png" });
  await media.video.generate("vidmodelv2", { sourceImage: [blob, odd] });
  expect(parts().map(({ head }) => /filename="(.*)"/.exec(head)?.[1])).toEqual(["sourceImage-1.png", "a_b__c_.png"]);
});

test("fields that are undefined are not sent, and extra fields are", async () => {
  await media.image.generate(
    "imgmodelz",
    { prompt: "A fox", seed: undefined },
    { extraFields: { style: "woodcut", steps: 20 } },
  );
  expect(parts().map(({ head, body }) => [/name="(.*)"/.exec(head)?.[1], body])).toEqual([
    ["prompt", "A fox"],
    ["style", "woodcut"],
    ["steps", "20"],
  ]);
});

test("queries and deletions arrive as JSON with the fields of their options", async () => {
  await media.video.query("t-1", { moreTaskInfo: true });
  await media.image.delete(["t-1", "t-2"], { uid: "u-1" });
  expect(arrived.map(({ headers, body }) => [headers["content-type"], JSON.parse(body)])).toEqual([
    ["application/json", { taskid: "t-1", moreTaskInfo: true }],
    ["application/json", { taskids: ["t-1", "t-2"], uid: "u-1" }],
  ]);
});

test("the HTTP client sends forms as multipart too", async () => {
  const http = createHttpClient(options);
  const { data } = await http.POST("/v1/video/vidmodelv2", {
    body: { prompt: "A fox", "sourceImage.items": [png] },
  });
  expect(data).toMatchObject({ code: 1000 });
  expect(parts().map(({ head }) => /name="([^"]*)"/.exec(head)?.[1])).toEqual(["prompt", "sourceImage.items"]);
});
