import { readFile } from "node:fs/promises";
import * as sdk from "@mediagen/sdk";
import { expect, test } from "vitest";
import { readAll } from "./read-all.ts";

const guides = await readAll("docs/guides/*.md");

// `npm run generate` fills these in, and fails if there is no such file or region.
test("every block of a guide that is a program or its configuration names a file of docs/examples", () => {
  const blocks = guides.flatMap(({ text }) =>
    [...text.matchAll(/^```(.*)\n[^]*?^```$/gm)].map(([, info]) => info),
  );
  const isShown = /^(sh|text|json|(ts|yaml|text) file=\S+( region=\S+)?)$/;
  expect(blocks.filter((info = "") => !isShown.test(info))).toEqual([]);
});

test("every program that a guide shows is shown completely, its parts in their order", async () => {
  const wrong: string[] = [];
  const linesOf = (text: string) => text.split("\n").map((line) => line.trim());
  for (const { file, text } of guides) {
    const blocks = [...text.matchAll(/^```ts file=(\S+)(?: region=\S+)?\n([^]*?)^```$/gm)];
    for (const name of new Set(blocks.map(([, name = ""]) => name))) {
      const shown = blocks.filter(([, other]) => other === name).map(([, , code = ""]) => code);
      const program = linesOf(await readFile(`docs/examples/${name}`, "utf8"));
      const isPart = (line: string) => line !== "" && !/^\/\/ #(end)?region /.test(line);
      const complete = program.filter(isPart).join("\n");
      const isComplete = [shown.join("\n"), ...shown].some(
        (code) => linesOf(code).filter(isPart).join("\n") === complete,
      );
      if (!isComplete) wrong.push(`${file}: ${name}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("every error of the SDK has its place in the guide to what goes wrong", () => {
  const { text = "" } = guides.find(({ file }) => file.endsWith("/errors.md")) ?? {};
  const errors = Object.values(sdk).filter(
    (one) => typeof one === "function" && one.prototype instanceof sdk.MediaGenError,
  );
  expect(
    errors.map(({ name }) => name).filter((name) => !text.includes(`| [\`${name}\`]`)),
  ).toEqual([]);
  expect(errors.length).toBeGreaterThan(5);
});

test("every message that the guide to troubleshooting explains is one of the SDK's", async () => {
  const { text = "" } = guides.find(({ file }) => file.endsWith("/troubleshooting.md")) ?? {};
  const messages = (await readFile("test/sdk/messages.txt", "utf8")).split("\n\n");
  const [ours = ""] = text.split("\n## Other tools");
  const explained = [...ours.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  const isThere = (message: string) => {
    const parts = message.split("\u2026").map((part) => part.trim().replace(/\W/g, "\\$&"));
    return messages.some((one) => new RegExp(parts.join("[^]*")).test(one));
  };
  expect(explained.filter((message) => !isThere(message))).toEqual([]);
  expect(explained.length).toBeGreaterThan(25);
});

test("the guide to configuration has the options of every call, and every variable that the packages read", async () => {
  const { text = "" } = guides.find(({ file }) => file.endsWith("/configuration.md")) ?? {};
  const sources = (await readAll("packages/*/src/**/*.ts")).map((one) => one.text).join("\n");
  const entries = (await readAll("packages/*/api.md")).map((one) => one.text).join("\n");
  // Six are in words, at `forget`, or in the tables of others.
  const elsewhere =
    "CallOptions ForgetOptions HttpClientOptions MediaGenModelOptions NodeMediaGenOptions UncheckedOptions".split(
      " ",
    );
  const options = [
    ...new Set(
      [...entries.matchAll(/^(?:interface|type) (\w+Options)\b/gm)].map(([, name = ""]) => name),
    ),
  ];
  const shown = (name: string) =>
    text.includes(`<!-- include: options ${name} -->`) || text.includes(`/api.md#${name})`);
  expect(options.filter((name) => !shown(name) && !elsewhere.includes(name))).toEqual([]);
  const variables = sources.matchAll(
    /\b(MEDIAGEN_(?!VERSION)[A-Z_]+|[A-Z]+_PROXY|XDG_\w+|LOCALAPPDATA|TERM)\b/g,
  );
  const read = [...new Set([...variables].map(([name]) => name))];
  expect(read.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
