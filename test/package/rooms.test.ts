import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

/** The rooms of each package, from the ground up: a file imports from its own room and from those before it. Doors stand above all. */
const rooms = {
  sdk: [
    "spec",
    "task",
    "errors",
    "time",
    "form",
    "transport",
    "journal",
    "wait",
    "call",
    "result",
    "client",
    "queue",
    "node",
    "batch",
  ],
  emulator: ["media", "service", "page", "node"],
} as const;

describe.each(Object.keys(rooms) as (keyof typeof rooms)[])("%s", (name) => {
  const root = `packages/${name}/src`;
  const files = readdirSync(root, { recursive: true })
    .map((file) => String(file).replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  const importsOf = (file: string) =>
    ts.preProcessFile(readFileSync(`${root}/${file}`, "utf8")).importedFiles.map(({ fileName }) => fileName);
  const within = (file: string) =>
    importsOf(file)
      .filter((one) => one.startsWith("."))
      .map((one) => posix.join(posix.dirname(file), one));
  const roomOf = (file: string) => (file.includes("/") ? (file.split("/")[0] ?? "") : "");
  const order: readonly string[] = rooms[name];

  test("has its rooms, and no others", () => {
    expect([...new Set(files.map(roomOf))].filter(Boolean).sort()).toEqual([...order].sort());
  });

  test.each(files.filter(roomOf))("%s imports downwards", (file) => {
    const upwards = within(file).filter(
      (other) => roomOf(other) !== "" && order.indexOf(roomOf(other)) > order.indexOf(roomOf(file)),
    );
    expect(upwards).toEqual([]);
  });

  test("has no circle of files", () => {
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) throw new Error([...trail.slice(trail.indexOf(file)), file].join(" -> "));
      if (done.has(file)) return;
      for (const other of within(file)) visit(other, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  test("only the Node rooms know Node", () => {
    const knowing = files.filter(
      (file) => !["node", "batch"].includes(roomOf(file)) && !["node.ts", "command.ts"].includes(file),
    );
    expect(knowing.filter((file) => importsOf(file).some((one) => one.startsWith("node:")))).toEqual([]);
  });
});
