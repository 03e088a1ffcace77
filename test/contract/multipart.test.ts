import { buffer } from "node:stream/consumers";
import { createMediaGen } from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterAll, beforeEach, expect, test } from "vitest";
import { serve } from "../serve.ts";
import { png } from "./cases.ts";

/** The path, the headers and the body of each request; a body has one character for each byte. */
const arrived: (readonly [string | undefined, Readonly<Record<string, unknown>>, string])[] = [];
const service = await serve(async (request, response) => {
  arrived.push([request.url, request.headers, (await buffer(request)).toString("latin1")]);
  response.setHeader("content-type", "application/json").end('{"code":1000,"msg":"ok","data":{"taskid":"t-1"}}');
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => void arrived.splice(0));

const media = createMediaGen({ apiKey: "key", baseUrl: `${service.baseUrl}/below` });

/** The heads and bodies of the parts of the latest request. */
function parts(): string[][] {
  const [, headers, body = ""] = arrived.at(-1) ?? expect.fail("no request arrived");
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(String(headers["content-type"]))?.[1];
  const between = body.split(`--${boundary}`).slice(1, -1);
  return between.map((part) => {
    const [head = "", ...rest] = part.replace(/^\r\n/, "").replace(/\r\n$/, "").split("\r\n\r\n");
    return [head.replace("Content-Disposition: form-data; ", ""), rest.join("\r\n\r\n")];
  });
}

const latin1 = async (data: Blob | string) => Buffer.from(await new Blob([data]).arrayBuffer()).toString("latin1");

test("a form arrives below the base URL, with the key, field by field", async () => {
  const form = { prompt: "A 🦊\nruns", duration: 5, generate_audio: true, websearch: "0", fps: 30, seed: -7 } as const;
  await media.video.generate("vidmodelv2", form);
  expect(arrived[0]?.slice(0, 2)).toMatchObject(["/below/v1/video/vidmodelv2", { authorization: "key" }]);
  expect(parts()).toEqual([
    ['name="prompt"', await latin1("A 🦊\r\nruns")],
    ['name="duration"', "5"],
    ['name="generate_audio"', "1"],
    ['name="websearch"', "0"],
    ['name="fps"', "30"],
    ['name="seed"', "-7"],
  ]);
});

test("each file is a part with the ending .items, with name, type and bytes; a text is the part of the field", async () => {
  const last = await fileFrom(new Uint8Array([0xff, 0xd8, 0xff, 0, 13, 10, 255]), { name: "last.jpg" });
  const head = (name: string, type: string) => `name="sourceImage.items"; filename="${name}"\r\nContent-Type: ${type}`;
  const first = [head("first.png", "image/png"), await latin1(png)];
  await media.video.generate("vidmodelv2", { sourceImage: [png, last] });
  expect(parts()).toEqual([first, [head("last.jpg", "image/jpeg"), "\xff\xd8\xff\0\r\n\xff"]]);
  await media.image.generate("imgmodelv4", { prompt: "A fox", sourceImage: png });
  expect(parts()[1]).toEqual(first);
  await media.video.generate("vidmodelv15pro", { sourceImage: "somewhere" });
  expect(parts()).toEqual([['name="sourceImage"', "somewhere"]]);
});

test("a Blob without a name gets one, and a name that servers cannot read is fixed", async () => {
  const blob = new Blob([png], { type: "image/png" });
  const odd = new File([png], 'C:\\pictures\\a;b="c".png', { type: "image/png" });
  await media.video.generate("vidmodelv2", { sourceImage: [blob, odd] });
  expect(parts().map(([head = ""]) => /filename="(.*)"/.exec(head)?.[1])).toEqual(["sourceImage-1.png", "a_b__c_.png"]);
});

test("fields that are undefined are not sent, and extra fields are", async () => {
  const extraFields = { style: "woodcut", steps: 20 };
  await media.image.generate("imgmodelz", { prompt: "A fox", seed: undefined }, { extraFields });
  expect(parts()).toEqual([
    ['name="prompt"', "A fox"],
    ['name="style"', "woodcut"],
    ['name="steps"', "20"],
  ]);
});

test("queries and deletions arrive as JSON with the fields of their options", async () => {
  await media.video.query("t-1", { moreTaskInfo: true });
  await media.image.delete(["t-1", "t-2"], { uid: "u-1" });
  expect(arrived.map(([, headers, body]) => [headers["content-type"], JSON.parse(body)])).toEqual([
    ["application/json", { taskid: "t-1", moreTaskInfo: true }],
    ["application/json", { taskids: ["t-1", "t-2"], uid: "u-1" }],
  ]);
});
