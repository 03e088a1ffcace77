import { buffer } from "node:stream/consumers";
import { createMediaGen } from "@mediagen/sdk";
import { afterAll, beforeEach, expect, test } from "vitest";
import { serve } from "../serve.ts";
import { png } from "./cases.ts";

/** The path, the headers and the body of each request; a body has one character for each byte. */
const arrived: (readonly [string | undefined, Readonly<Record<string, unknown>>, string])[] = [];
const service = await serve(async (request, response) => {
  arrived.push([request.url, request.headers, (await buffer(request)).toString("latin1")]);
  response
    .setHeader("content-type", "application/json")
    .end('{"code":1000,"msg":"ok","data":{"taskid":"t-1"}}');
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => void arrived.splice(0));

const media = createMediaGen({ apiKey: "key", baseUrl: `${service.baseUrl}/below` });

/** The heads and bodies of the parts of the latest request. */
function parts(): string[][] {
  const [, headers, body = ""] = arrived.at(-1) ?? expect.fail("no request arrived");
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(
    String(headers["content-type"]),
  )?.[1];
  const between = body.split(`--${boundary}`).slice(1, -1);
  return between.map((part) => {
    const [head = "", ...rest] = part.replace(/^\r\n/, "").replace(/\r\n$/, "").split("\r\n\r\n");
    return [head.replace("Content-Disposition: form-data; ", ""), rest.join("\r\n\r\n")];
  });
}

test("a form arrives below the base URL, with the key, byte by byte as the engine's own FormData has it", async () => {
  const files = ["a fox 🦊.gif", "no type.gif"].map(
    (name) => new File(["GIF89a\r\n--x\r\n"], name, { type: "image/gif" }),
  );
  const odd = 'odd\n"name';
  const texts = {
    prompt: "A 🦊\nruns\r\n\rfar",
    duration: "5",
    generate_audio: "1",
    websearch: "0",
    fps: "30",
    seed: "-7",
  };
  const data = new FormData();
  for (const [name, text] of Object.entries(texts)) data.append(name, text);
  for (const file of files) data.append("sourceImage.items", file);
  data.append(odd, "");
  const values = {
    duration: 5,
    generate_audio: true,
    websearch: "0",
    fps: 30,
    seed: -7,
    sourceImage: files,
  } as const;
  await media.video.generate(
    "vidmodelv2",
    { prompt: texts.prompt, ...values },
    { extraFields: { [odd]: "" } },
  );
  const [path, headers, body] = arrived[0] ?? expect.fail("no request arrived");
  expect([path, headers]).toMatchObject(["/below/v1/video/vidmodelv2", { authorization: "key" }]);
  const own = await new Response(data).blob();
  const text = Buffer.from(await own.arrayBuffer()).toString("latin1");
  const [expected, sent] = [
    [own.type, text],
    [String(headers["content-type"]), body],
  ].map(([type = "", bytes = ""]) =>
    bytes.replaceAll(/boundary=(\S+)/.exec(type)?.[1] ?? "none", "BOUNDARY").trimEnd(),
  );
  expect(sent).toBe(expected);
});

test("a text is the part of the field, and what is undefined is no part", async () => {
  await media.video.generate("vidmodelv15pro", { sourceImage: "somewhere", seed: undefined });
  expect(parts()).toEqual([['name="sourceImage"', "somewhere"]]);
});

test("a Blob without a name gets one, and a name that servers cannot read is fixed", async () => {
  const blob = new Blob([png], { type: "image/png" });
  const odd = new File([png], 'C:\\pictures\\a;b="c".png', { type: "image/png" });
  await media.video.generate("vidmodelv2", { sourceImage: [blob, odd] });
  expect(parts().map(([head = ""]) => /filename="(.*)"/.exec(head)?.[1])).toEqual([
    "sourceImage-1.png",
    "a_b__c_.png",
  ]);
});

test("queries and deletions arrive as JSON with the fields of their options", async () => {
  await media.video.query("t-1", { moreTaskInfo: true });
  await media.image.delete(["t-1", "t-2"], { uid: "u-1" });
  await media.image.task("t-3").delete({ uid: "u-2" });
  expect(arrived.map(([, headers, body]) => [headers["content-type"], JSON.parse(body)])).toEqual([
    ["application/json", { taskid: "t-1", moreTaskInfo: true }],
    ["application/json", { taskids: ["t-1", "t-2"], uid: "u-1" }],
    ["application/json", { taskids: ["t-3"], uid: "u-2" }],
  ]);
});
