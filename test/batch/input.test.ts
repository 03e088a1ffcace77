import { runBatch } from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import { InvalidRequestError } from "@mediagen/sdk/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { readCsv } from "../../packages/batch/src/csv.ts";
import { createBatchDirectory } from "./batch-directory.ts";

const picture = renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } });

async function run(name: string, content: string | Uint8Array | readonly object[]) {
  const emulator = createEmulator();
  const batch = await createBatchDirectory();
  await batch.write("first.png", picture);
  await batch.write("last.png", picture);
  const input = await batch.write(name, content);
  const error = await runBatch(input, batch.out, { ...emulator.client, concurrency: 1 }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined && !(error instanceof InvalidRequestError)) throw error;
  return { emulator, batch, error, fields: error?.issues.map(({ field }) => field) };
}

const taken = ({ emulator }: Awaited<ReturnType<typeof run>>) =>
  emulator.tasks.map(({ fields, files }) => ({ ...fields, files: files.map(({ name }) => name) }));

describe("an input", () => {
  test("of JSON lines gives each form as it stands, with files relative to the input", async () => {
    const ran = await run("jobs.jsonl", [
      {
        id: "fox",
        model: "vidmodelv2",
        prompt: "A fox\u2028runs",
        duration: 10,
        generate_audio: true,
        sourceImage: ["first.png", "last.png"],
      },
      { id: 7, model: "imgmodelv4", prompt: "Füchse", sourceImage: "./first.png" },
    ]);
    expect(ran.error).toBeUndefined();
    expect((await ran.batch.results()).map(({ line, id, state, form }) => ({ line, id, state, form }))).toMatchObject([
      {
        line: 1,
        id: "fox",
        state: "succeeded",
        form: { prompt: "A fox\u2028runs", sourceImage: ["first.png", "last.png"] },
      },
      { line: 2, id: "7", state: "succeeded" },
    ]);
    expect(taken(ran)).toMatchObject([
      { prompt: "A fox\u2028runs", duration: 10, generate_audio: "1", files: ["first.png", "last.png"] },
      { prompt: "Füchse", files: ["first.png"] },
    ]);
  });

  test("of CSV gives the same: numbers and flags are read from their texts, empty cells are left out, columns repeat for lists", async () => {
    const ran = await run(
      "jobs.csv",
      '\uFEFFid,model,prompt,duration,generate_audio,sourceImage,sourceImage\r\nfox,vidmodelv2,"A ""fox"",\nruns",10,TRUE,first.png,last.png\r\n\r\nhare,imgmodelz,A hare,,,,\r\n',
    );
    expect(ran.error).toBeUndefined();
    expect((await ran.batch.results()).map(({ line, id, form }) => ({ line, id, form }))).toEqual([
      {
        line: 2,
        id: "fox",
        form: {
          prompt: 'A "fox",\nruns',
          duration: "10",
          generate_audio: "TRUE",
          sourceImage: ["first.png", "last.png"],
        },
      },
      { line: 5, id: "hare", form: { prompt: "A hare" } },
    ]);
    expect(taken(ran)).toMatchObject([
      { prompt: 'A "fox",\r\nruns', duration: 10, generate_audio: "1", files: ["first.png", "last.png"] },
      { prompt: "A hare", files: [] },
    ]);
  });

  test("names a line without an id by its content, wherever it stands", async () => {
    const ids = async (lines: readonly object[]) =>
      (await (await run("jobs.jsonl", lines)).batch.results()).map(({ id }) => id);
    const [fox, hare] = [
      { model: "imgmodelz", prompt: "A fox" },
      { model: "imgmodelz", prompt: "A hare" },
    ];
    const [first = "", again, other = ""] = (await ids([fox, fox, hare])).sort();
    expect(again === `${first}.2` || other === `${again}.2`).toBe(true);
    expect((await ids([hare, fox])).sort()).toEqual([first, again, other].filter((id) => !id?.endsWith(".2")));
  });
});

describe("every bad line is named, and nothing is sent", () => {
  test("in JSON lines", async () => {
    const ran = await run(
      "jobs.jsonl",
      [
        '{"model":"imgmodelz","prompt":"good"}',
        '{"model":"imgmodelq","prompt":"A fox"}',
        '{"prompt":"A fox"}',
        '{"model":"vidmodelv2","prompt":"A fox","duration":7,"seeed":1}',
        "{model:1}",
        "[]",
        '{"id":"a","model":"imgmodelz","prompt":"A fox"}',
        '{"id":"A","model":"imgmodelz","prompt":"A hare"}',
        '{"id":"../a","model":"imgmodelz","prompt":"A hare"}',
        '{"model":"imgmodelv4","prompt":"A hare","sourceImage":"none.png"}',
        '{"model":"imgmodelv4","prompt":"A hare","sourceImage":"jobs.jsonl"}',
      ].join("\n"),
    );
    expect(ran.fields).toEqual([
      "line 2, model",
      "line 3, model",
      "line 4, duration",
      "line 4, seeed",
      "line 5, form",
      "line 6, form",
      "line 8, id",
      "line 9, id",
      "line 10, sourceImage",
      "line 11, sourceImage",
    ]);
    expect(ran.error?.message).toMatch(/line 2, model must be .*, imgmodelz, not "imgmodelq"\./);
    expect(ran.error?.message).toMatch(/line 8, id "A" is used twice\. Use another id than line 7\./);
    expect(ran.error?.message).toMatch(/line 10, sourceImage "none\.png" cannot be read/);
    expect(ran.emulator.calls).toEqual([]);
  });

  test("with a text that is blank, which would be billed", async () => {
    const lines = [
      { model: "imgmodelz", prompt: " " },
      { model: "imgmodelz", prompt: "" },
      { model: "imgmodelz", prompt: "A fox", resolution: "\t" },
    ];
    const ran = await run("jobs.jsonl", lines);
    expect(ran.fields).toEqual(["line 1, prompt", "line 2, prompt", "line 3, resolution"]);
    expect(ran.error?.message).toContain('line 1, prompt must be non-blank text, not " "');
    expect((await run("jobs.csv", "model,prompt\nimgmodelz, \nimgmodelz,\n")).fields).toEqual([
      "line 2, prompt",
      "line 3, prompt",
    ]);
  });

  test("once for each file that is missing, and also if a field is named as no field may be", async () => {
    const ran = await run(
      "jobs.jsonl",
      [
        '{"model":"vidmodelv2","prompt":"A fox","sourceImage":["first.png","none.png"]}',
        '{"model":"imgmodelz","prompt":"A fox","__proto__":{"seed":1}}',
      ].join("\n"),
    );
    expect(ran.fields).toEqual(["line 1, sourceImage[1]", "line 2, __proto__"]);
    expect((await run("jobs.csv", "model,prompt,__proto__\nimgmodelz,A fox,1")).fields).toEqual(["line 2, __proto__"]);
  });

  test("in few words, also if a whole picture was pasted where a path, a name or a text belongs", async () => {
    const pasted = "A".repeat(2_000_000);
    const lines = [
      { model: "imgmodelv4", prompt: "A fox", sourceImage: `data:image/png;base64,${pasted}` },
      { model: "imgmodelv4", prompt: "A fox", sourceImage: pasted },
      { model: pasted, prompt: "A fox" },
      { id: pasted, model: "imgmodelz", prompt: "A fox" },
      { model: "vidmodelv2", prompt: pasted },
      { model: "imgmodelz", prompt: "A fox", [pasted]: 1 },
    ];
    const ran = await run("jobs.jsonl", lines);
    expect(ran.error?.issues).toHaveLength(lines.length);
    expect(ran.error?.message).toMatch(/line 1, sourceImage "data:image\/png.*characters\)" is a URL/);
    expect(ran.error?.message.length).toBeLessThan(3_000);
  });

  test("whose id would be too long for a file's name in bytes, though not in characters", async () => {
    const lines = [100, 66, 67].map((length) => ({
      id: (length === 100 ? "a" : "\u72d0").repeat(length),
      model: "imgmodelz",
      prompt: "A fox",
    }));
    const ran = await run("jobs.jsonl", lines);
    expect(ran.fields).toEqual(["line 3, id"]);
  });

  test("in CSV by the line that they begin in, whatever line breaks their cells and rows have", async () => {
    const rows = ["id;model;prompt", '1;imgmodelz;"F\u00fcchse,\r\n\r\nHasen"', "", "2;imgmodelq;B", '3;imgmodelz;"C'];
    for (const end of ["\n", "\r\n"]) {
      const ran = await run("jobs.csv", rows.join(end));
      expect(ran.fields).toEqual(["line 6, model", "line 7, form"]);
      expect(ran.error?.message).toMatch(/line 7, form has a quote that is not closed/);
    }
  });

  test("in CSV", async () => {
    const ran = await run(
      "jobs.csv",
      'model;prompt;duration\nvidmodelv2;A fox;six\nimgmodelz;A fox;;;\nimgmodelz;"A fox',
    );
    expect(ran.fields).toEqual(["line 2, duration", "line 3, form", "line 4, form"]);
    expect(ran.emulator.calls).toEqual([]);
  });

  test("once for a CSV file whose header has no column of models", async () => {
    const rows = "imgmodelz,A fox\nimgmodelz,A hare";
    for (const [header, message] of [
      ["Model,prompt", "line 1, model is missing. Pass a column with this name. Nothing was sent."],
      ['"Model,prompt', "line 1, form has a quote that is not closed."],
    ] as const) {
      const ran = await run("jobs.csv", `${header}\n${rows}`);
      expect(ran.error?.issues).toHaveLength(1);
      expect(ran.error?.message).toContain(message);
      expect(ran.emulator.calls).toEqual([]);
    }
  });

  test("also where the input is no text, has no line, is not there, or is of another kind", async () => {
    const latin1 = Buffer.from("model,prompt\nimgmodelz,F\u00fcchse", "latin1");
    expect((await run("jobs.csv", latin1)).error?.message).toContain("UTF-8");
    expect(
      (await run("jobs.jsonl", Buffer.from('{"model":"imgmodelz","prompt":"F\u00fcchse"}', "latin1"))).error?.message,
    ).toContain("UTF-8");
    expect((await run("jobs.jsonl", "\n\n")).error?.message).toContain("no line");
    expect((await run("jobs.txt", "")).error?.message).toContain("end in .jsonl, .ndjson, .csv or .tsv, not ");
    await expect(runBatch("none.jsonl", "out/none", { baseUrl: "http://localhost" })).rejects.toThrow(
      /input "none.jsonl" does not exist\. Use a file/,
    );
  });
});

test.for([",", ";", "\t"])(
  "CSV finds the delimiter %j in its header, not in the texts below",
  async ([delimiter = ""]) => {
    const header = ["id", "model", "prompt"].join(delimiter);
    const ran = await run("jobs.csv", `${header}\n${["fox", "imgmodelz", '"\u00c4,,;;\t\t"'].join(delimiter)}`);
    expect(ran.error).toBeUndefined();
    expect(taken(ran)).toMatchObject([{ prompt: "\u00c4,,;;\t\t" }]);
  },
);

test("CSV takes a quote within a cell as it stands", async () => {
  const ran = await run("jobs.csv", 'id,model,prompt\nfox,imgmodelz,a 5" screen\n');
  expect(taken(ran)).toMatchObject([{ prompt: 'a 5" screen' }]);
});

test("CSV gives back every table that was written by its rules, in whatever pieces it comes", async () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r\n", ";", "ü", " ") });
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\r\n");
      async function* pieces() {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
      }
      const read: (readonly string[])[] = [];
      for await (const { cells, isCutOff } of readCsv(pieces())) {
        expect(isCutOff).toBe(false);
        read.push(cells);
      }
      expect(read).toEqual(rows);
    }),
  );
});
