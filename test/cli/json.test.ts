import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inPlace } from "./run-command.ts";

const shapeOf = (value: unknown) => (Array.isArray(value) ? "list" : typeof value);

/** Adds the shape of each word. What is in a record or a field is the service's. */
function addShapes(value: unknown, shapes: Map<string, Set<string>>): void {
  if (Array.isArray(value)) for (const one of value) addShapes(one, shapes);
  else if (typeof value === "object" && value !== null)
    for (const [word, inside] of Object.entries(value)) {
      shapes.set(word, (shapes.get(word) ?? new Set()).add(shapeOf(inside)));
      if (!/^(record|fields)$/.test(word)) addShapes(inside, shapes);
    }
}

test("a word of --json has one shape in all commands, and that of the guide", () =>
  inPlace(async ({ cwd, emulator, run }) => {
    const shapes = new Map<string, Set<string>>();
    const read = async (line: string): Promise<{ readonly task?: { readonly taskid: string } }> => {
      const document = JSON.parse((await run(`${line} --json -q`)).stdout) as object;
      addShapes(document, shapes);
      return document;
    };
    const image = "image 'A fox' -m imgmodelz";
    await writeFile(join(cwd, "jobs.jsonl"), '{"model":"imgmodelz","prompt":"A fox"}\n');
    await read(image);
    const { task } = await read(`${image} --no-wait`);
    emulator.next({ fault: "resetAfter", on: "generate" });
    await read(image);
    await read("recover");
    for (const command of ["show", "wait", "download", "delete"])
      await read(`task ${command} image:${task?.taskid}`);
    for (const line of ["recover -o .", "task list", "models", "models imgmodelz", "nosuch"])
      await read(line);
    for (const more of ["--dry-run", "--yes", "--only=x"])
      await read(`batch jobs.jsonl -o out ${more}`);
    expect([...shapes].filter(([, { size }]) => size > 1)).toEqual([]);
    const guide = await readFile("docs/guides/command-line.md", "utf8");
    const words = [...guide.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (list|object|number|string)\b/gm)];
    expect(words.length).toBeGreaterThan(4);
    for (const [, names = "", shape] of words)
      for (const name of names.match(/\w+/g) ?? [])
        expect([name, ...(shapes.get(name) ?? [])]).toEqual([name, shape]);
  }));
