import { createEmulator, type EmulatorTask } from "@mediagen/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../contract/cases.ts";

const boundary = "Bound";
const close = `--${boundary}--\r\n`;

/**
 * Sends a body as it is to an operation that accepts any fields, and returns the task that it
 * creates, or the message.
 */
async function send(body: string, contentType = `multipart/form-data; boundary=${boundary}`) {
  const emulator = createEmulator();
  const { client } = emulator;
  const response = await emulator.fetch(
    client.baseUrl + (kinds[0]?.generate.get("vidmodelv15pro")?.path ?? ""),
    {
      method: "POST",
      headers: { authorization: client.apiKey, "content-type": contentType },
      body,
    },
  );
  const { code, msg } = (await response.json()) as { code: number; msg: string };
  expect([response.status, code]).toEqual([200, emulator.tasks.length > 0 ? 1000 : 9999]);
  return (emulator.tasks[0] as EmulatorTask | undefined) ?? msg;
}

/** One part, with the parameters of its disposition as they are given. */
function part(parameters: string, content = "A fox", headers = ""): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${parameters}\r\n${headers}\r\n${content}\r\n`;
}

const prompt = { prompt: "A fox" };
const plain = part("name=prompt") + close;
const head = `--${boundary}\r\nContent-Disposition: form-data;`;
const end = `\r\n\r\nA fox\r\n${close}`;

test.for<[string, string, object, string?]>([
  ["parameters in capitals and blanks", part('NAME = "prompt" ') + close, prompt],
  ["a header in two lines", `${head}\r\n name="prompt"${end}`, prompt],
  [
    "a huge preamble full of near misses",
    `${`\r\n--${boundary}x`.repeat(100_000)}\r\n${plain}`,
    prompt,
  ],
  ["a part without a body", `${head} name=x\r\n\r\n${plain}`, { x: "", ...prompt }],
  [
    "text with a media type",
    part("name=prompt", "A fox", "Content-Type: text/plain; charset=utf-8\r\n") + close,
    prompt,
  ],
  ["a semicolon in a name", part('name="a; name=b"') + plain, { "a; name=b": "A fox" }],
  [
    "a byte order mark, which is text",
    part("name=prompt", "\uFEFFA fox") + close,
    { prompt: "\uFEFFA fox" },
  ],
  [
    "a quoted boundary",
    plain,
    prompt,
    `Multipart/Form-Data; charset=utf-8; Boundary="${boundary}"`,
  ],
])("%s is read", async ([, body, fields, contentType]) => {
  expect(await send(body, contentType)).toMatchObject({ fields });
});

test.for([
  ["curl, quoted", 'name="image"; filename="ä b.png"', "ä b.png"],
  ["Go, a quote with a backslash", 'name="image"; filename="a\\"b\\\\.png"', 'a"b\\.png'],
  ["browsers, a quote in percent", 'name="image"; filename="a%22b.png"', 'a"b.png'],
  ["browsers, a path of Windows", 'name="image"; filename="C:\\dir\\b.png"', "C:\\dir\\b.png"],
  [
    ".NET, a charset",
    "name=image; filename==?utf-8?B?w6Q=?=; filename*=utf-8''%C3%A4%2522.png",
    "ä%22.png",
  ],
  ["a charset that is cut", "name=image; filename*=UTF-8''%C3%A", "\uFFFD%A"],
  ["an empty name", 'filename=""; name=image', ""],
] as const)("a file as it is sent by %s", async ([, parameters, name]) => {
  const body =
    part("name=prompt") + part(parameters, "GIF89a", "Content-Type: image/gif\r\n") + close;
  expect(await send(body)).toMatchObject({
    files: [{ part: "image", name, type: "image/gif", size: 6 }],
  });
});

const type = "multipart/form-data";
test.for<[string, string, string, string?]>([
  ["no boundary in the header", plain, "its Content-Type has no boundary", type],
  ["another boundary", plain, 'it has no closing boundary "--other--"', `${type}; boundary=other`],
  [
    "what only begins like the closing boundary",
    `${part("name=prompt")}--${boundary}--x`,
    "no closing boundary",
  ],
  [
    "a long boundary",
    plain,
    "its boundary is longer than 70 characters",
    `${type}; boundary=${"x".repeat(71)}`,
  ],
  [
    "a part without a name",
    part("filename=x") + close,
    'a part has no "Content-Disposition: form-data" with a name',
  ],
  ["a part without an empty line", `${head} name=x\r\n${close}`, "do not end with an empty line"],
  ["endless headers", part(`name=prompt; x="${"x".repeat(20_000)}"`) + close, "within 16384 bytes"],
  ["line breaks without carriage returns", plain.replaceAll("\r\n", "\n"), "no closing boundary"],
])("a body with %s is rejected", async ([, body, why, contentType]) => {
  const msg = await send(body, contentType);
  expect(msg).toMatch("the body is not multipart/form-data");
  expect(msg).toContain(why);
});

const nearMisses = [
  "\r\n",
  "\r",
  "\n",
  "-",
  "--",
  boundary,
  `--${boundary}`,
  `--${boundary}--`,
  `\r\n--${boundary}x`,
];
// fast-check's own unit for any character takes a second to construct.
const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code).toWellFormed());
const content = fc
  .array(fc.oneof(fc.constantFrom(...nearMisses), fc.string({ unit: character, maxLength: 5 })), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(""))
  // A boundary that no text holds is the sender's part.
  .filter((text) => !/\r\n--Bound([ \t]*\r\n|--)/.test(`\r\n${text}\r\n`));
const name = fc
  .string({ unit: "grapheme", maxLength: 8 })
  .filter((text) => !/[%\p{Cc}]/u.test(text));
const spelling = fc.constantFrom(
  (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`,
  (text: string) =>
    text.includes("\\")
      ? `"${text.replace(/["\\]/g, "\\$&")}"`
      : `"${text.replaceAll('"', "%22")}"`,
  (text: string) => (/^[\w.!#$&+^~-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`),
);
const preamble = content.map((text) => (text === "" ? "" : `${text}\r\n`));
const forms = fc.record({
  parts: fc.uniqueArray(fc.record({ name, content, spelling }), {
    selector: (one) => one.name,
    minLength: 1,
    maxLength: 5,
  }),
  preamble,
  epilogue: content,
});

test("names and texts are read exactly, in any spelling, chunks and frame", async () => {
  const property = fc.asyncProperty(forms, async ({ parts, preamble, epilogue }) => {
    const body = parts
      .map((one) => part(`name=${one.spelling(`x${one.name}`)}`, one.content))
      .join("");
    const task = await send(preamble + body + part("name=prompt") + close + epilogue);
    expect(task).toMatchObject({
      fields: Object.fromEntries(parts.map((one) => [`x${one.name}`, one.content])),
    });
  });
  await fc.assert(property, { seed: 20_261_122, numRuns: 300 });
});
