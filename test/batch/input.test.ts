import { runBatch } from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import { InvalidRequestError } from "@mediagen/sdk/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv } from "../../packages/batch/src/csv.ts";
import { createBatchDirectory } from "./batch-directory.ts";

type Content = string | Uint8Array | readonly object[];

async function run(name: string, content: Content) {
  const emulator = createEmulator();
  const batch = await createBatchDirectory();
  for (const file of ["first.png", "last.png"]) await batch.write(file, "GIF89a");
  const input = await batch.write(name, content);
  const ran = await Promise.allSettled([
    runBatch(input, batch.out, { ...emulator.client, concurrency: 1 }),
  ]);
  const error: unknown = ran[0].status === "rejected" ? ran[0].reason : undefined;
  if (error !== undefined && !(error instanceof InvalidRequestError)) throw error;
  const tasks = emulator.tasks.map(({ fields, files }) => ({
    ...fields,
    files: files.map((file) => file.name),
  }));
  return { emulator, batch, tasks, error, fields: error?.issues.map(({ field }) => field) };
}

describe("an input", () => {
  test("of JSON lines has a form in each line, with files relative to the input", async () => {
    const fox = {
      model: "vidmodelv2",
      prompt: "A fox\u2028runs",
      sourceImage: ["first.png", "last.png"],
    };
    const { error, tasks, batch } = await run("jobs.jsonl", [
      { id: "fox", ...fox, duration: 10, generate_audio: true },
      { id: 7, model: "imgmodelv4", prompt: "Füchse", sourceImage: "./first.png" },
    ]);
    expect(error).toBeUndefined();
    expect(await batch.results()).toMatchObject([
      {
        line: 1,
        id: "fox",
        state: "succeeded",
        form: { prompt: fox.prompt, sourceImage: fox.sourceImage },
      },
      { line: 2, id: "7", state: "succeeded" },
    ]);
    expect(tasks).toMatchObject([
      { prompt: fox.prompt, duration: 10, generate_audio: "1", files: fox.sourceImage },
      { prompt: "Füchse", files: ["first.png"] },
    ]);
  });

  test("of CSV has the same: numbers and booleans are read, empty cells left out, and columns repeat for lists", async () => {
    const quoted = 'fox,vidmodelv2,"A ""fox"",\nruns",10,TRUE,first.png,last.png';
    const csv = `\uFEFFid,model,prompt,duration,generate_audio,sourceImage,sourceImage\r\n${quoted}\r\n\r\nhare,imgmodelz,A 5" hare,,,,\r\n`;
    const { error, tasks, batch } = await run("jobs.csv", csv);
    expect(error).toBeUndefined();
    const files = ["first.png", "last.png"];
    const form = {
      prompt: 'A "fox",\nruns',
      duration: "10",
      generate_audio: "TRUE",
      sourceImage: files,
    };
    expect((await batch.results()).map(({ line, id, form }) => ({ line, id, form }))).toEqual([
      { line: 2, id: "fox", form },
      { line: 5, id: "hare", form: { prompt: 'A 5" hare' } },
    ]);
    expect(tasks).toMatchObject([
      { prompt: 'A "fox",\r\nruns', duration: 10, generate_audio: "1", files },
      { prompt: 'A 5" hare', files: [] },
    ]);
  });

  test("names a line without an id by its content, in whatever order", async () => {
    const idsOf = async (...prompts: readonly string[]) => {
      const { batch } = await run(
        "jobs.jsonl",
        prompts.map((prompt) => ({ model: "imgmodelz", prompt })),
      );
      return (await batch.results()).map(({ id }) => id).sort();
    };
    const [first = "", again, other = ""] = await idsOf("A fox", "A fox", "A hare");
    expect(again === `${first}.2` || other === `${again}.2`).toBe(true);
    expect(await idsOf("A hare", "A fox")).toEqual(
      [first, again, other].filter((id) => !id?.endsWith(".2")),
    );
  });

  test.for([",", ";", "\t"])("of CSV has the delimiter %j of its header", async (delimiter) => {
    const csv = 'id|model|prompt\nfox|imgmodelz|"\u00c4,,;;\t\t"'.replaceAll("|", delimiter);
    const { tasks } = await run("jobs.csv", csv);
    expect(tasks).toMatchObject([{ prompt: "\u00c4,,;;\t\t" }]);
  });
});

const model = "imgmodelz";
const latin1 = (text: string) => Buffer.from(text, "latin1");
const rows = [
  "id;model;prompt",
  '1;imgmodelz;"F\u00fcchse,\r\n\r\nHasen"',
  "",
  "2;imgmodelq;B",
  '3;imgmodelz;"C',
];
const badLines = [
  '{"model":"imgmodelz","prompt":"good"}',
  '{"model":"imgmodelq","prompt":"A fox"}',
  '{"prompt":"A fox"}',
  '{"model":"vidmodelv2","prompt":"A fox","duration":7,"seeed":1}',
  "{model:1}",
  "[]",
  '{"id":"a","model":"imgmodelz","prompt":"A fox"}',
  '{"id":"A","model":"imgmodelz","prompt":"A hare"}',
  '{"id":"../a","model":"imgmodelz","prompt":"A hare"}',
  '{"model":"vidmodelv2","prompt":"A hare","sourceImage":["first.png","none.png"]}',
  '{"model":"imgmodelv4","prompt":"A hare","sourceImage":"jobs.jsonl"}',
  '{"model":"imgmodelz","prompt":"A fox","__proto__":{"seed":1}}',
];
const badFields =
  "2, model|3, model|4, duration|4, seeed|5, form|6, form|8, id|9, id|10, sourceImage[1]|11, sourceImage|12, __proto__";

describe("every bad line is named, and nothing is sent", () => {
  test.for<[what: string, name: string, content: Content, lines: string, says: string]>([
    [
      "JSON lines",
      "jobs.jsonl",
      badLines.join("\n"),
      badFields,
      'line 8, id "A" is used twice. Use another id than line 7.',
    ],
    [
      "blank text, which would be billed",
      "jobs.jsonl",
      [
        { model, prompt: " " },
        { model, prompt: "" },
        { model, prompt: "A fox", resolution: "\t" },
      ],
      "1, prompt|2, prompt|3, resolution",
      'line 1, prompt must be non-blank text, not " "',
    ],
    [
      "ids that are too long for the name of a file in bytes",
      "jobs.jsonl",
      ["a".repeat(100), "\u72d0".repeat(66), "\u72d0".repeat(67)].map((id) => ({
        id,
        model,
        prompt: "A fox",
      })),
      "3, id",
      "at most 200 bytes",
    ],
    [
      "rows of CRLF",
      "jobs.csv",
      rows.join("\r\n"),
      "6, model|7, form",
      "line 7, form has a quote that is not closed",
    ],
    [
      "rows and cells",
      "jobs.csv",
      'model;prompt;duration\nvidmodelv2;A fox;six\nimgmodelz;A fox;;;\nimgmodelz;"A fox',
      "2, duration|3, form|4, form",
      "line 3, form has 5 cells",
    ],
    [
      "a header",
      "jobs.csv",
      "Model,prompt\nimgmodelz,A",
      "1, model",
      "Pass a column with this name.",
    ],
    [
      "a header",
      "jobs.csv",
      '"Model,prompt\nimgmodelz,A',
      "1, form",
      "line 1, form has a quote that is not closed.",
    ],
  ])("%s in %s", async ([, name, content, lines, says]) => {
    const { fields, error, emulator } = await run(name, content);
    expect(fields).toEqual(lines.split("|").map((line) => `line ${line}`));
    expect(error?.message).toContain(says);
    expect(emulator.calls).toEqual([]);
  });

  test("in few words, also if a picture was pasted in place of a path, a name or a text", async () => {
    const pasted = "A".repeat(2_000_000);
    const fields = { id: pasted, model: pasted, prompt: pasted, sourceImage: pasted, [pasted]: 1 };
    const lines = Object.entries(fields).map((field) => ({
      ...{ model: "imgmodelv4", prompt: "A fox" },
      ...Object.fromEntries([field]),
    }));
    const { error } = await run("jobs.jsonl", lines);
    expect(error?.issues).toHaveLength(lines.length);
    expect(error?.message.length).toBeLessThan(3_000);
  });

  test.for<[name: string, content: Content, says: string]>([
    ["jobs.csv", latin1("model,prompt\nimgmodelz,F\u00fcchse"), "UTF-8"],
    ["jobs.jsonl", latin1('{"model":"imgmodelz","prompt":"F\u00fcchse"}'), "UTF-8"],
    ["jobs.jsonl", "\n\n", "no line"],
    ["jobs.txt", "", "end in .jsonl, .ndjson, .csv or .tsv, not "],
  ])(
    "also if %s is not text, has no line or has another extension",
    async ([name, content, says]) => {
      expect((await run(name, content)).error?.message).toContain(says);
    },
  );
});

test("every table that is written by the rules of CSV is read, in whatever pieces it comes", async () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r\n", ";", "ü", " ") });
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
    );
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const text = rows
        .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      async function* pieces() {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
      }
      const read: unknown[] = [];
      for await (const { cells, isCutOff } of readCsv(pieces())) read.push([cells, isCutOff]);
      expect(read).toEqual(rows.map((row) => [row, false]));
    }),
  );
});
