import { expect, test } from "vitest";
import { proseFaults } from "../../scripts/prose.ts";

const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");

/** What is not plain English, by what is wrong with it: the path, its text, and the fault that is found. */
const bad: Readonly<Record<string, readonly [path: string, text: string, fault: RegExp]>> = {
  "a translated word in a page": ["a.md", "The service refuses it.", /^a\.md:1 "refuses": write reject$/],
  "a folder": ["a.md", "Open the folder of results.", /"folder": write directory/],
  "the address of a picture": ["a.md", "Pass the address of an image.", /"address of an image": write URL/],
  "a word that only pages must not have": ["a.md", "Send it anew.", /"anew": write again/],
  "a long sentence": ["a.md", `One ${words(26)}.`, /a sentence of 27 words/],
  "a long sentence in pieces that semicolons join": ["a.md", `${`${words(12)}; `.repeat(5)}end.`, /a sentence of 61/],
  "a question as a heading": ["a.md", "# A page\n\n## Is it fast?\n", /^a\.md:3 "Is it fast\?": name the topic$/],
  "a heading that asks without a question mark": ["a.md", "## How do I begin\n", /"How do I begin": name the topic/],
  "a word in the cell of a table": ["a.md", "| a |\n|---|\n| it mends that |\n", /"mends": write fix/],
  "a word in a front matter": ["a.md", "---\ntitle: Paid for\n---\n\nText.\n", /^a\.md:2 "Paid for": write/],
  "a word in a docstring": ["a.ts", "/** Answers a task. */\nexport const a = 1;", /"Answers a task": write return/],
  "a word in a comment": ["a.ts", "const a = 1;\n// It hears of it.", /^a\.ts:2 "hears": write receives$/],
  "a word in a message": ["a.ts", 'throw new Error("the server refuses this request");', /"refuses": write reject/],
  "a word in a template": ["a.ts", "say(`the ${name} was refused for good`);", /"refused": write reject/],
  "a word in a help text of several lines": [
    "a.ts",
    "const help = `Usage: x\n\n  --out DIR  the folder of all results\n`;",
    /^a\.ts:3 "folder": write directory$/,
  ],
  "a docstring that asks": ["a.ts", "/** What a call needs. */\nexport const a = 1;", /begins with "What": begin with/],
  "a long docstring": ["a.ts", `/** ${words(31)}. */`, /a sentence of 31 words/],
  "a word in a web page": ["a.html", "<main>\n<p>The <b>service</b> refuses it.</p>\n</main>", /^a\.html:2 "refuses"/],
  "a word in an attribute of a web page": ["a.html", '<input placeholder="a folder">', /"folder": write directory/],
  "a word in the spec": ["a.yaml", "info:\n  description: It is told of each task.\n", /^a\.yaml:2 "is told": write/],
};

test.each(Object.entries(bad))("%s is found, once", (_, [path, text, fault]) => {
  expect(proseFaults(path, text)).toEqual([expect.stringMatching(fault)]);
});

test("plain English has no faults", () => {
  const page = `---\ntitle: Waiting\n---\n\n## How a wait ends\n\nIt ends after ${words(20)}.\nThe connection was refused: \`folder\`.\n`;
  expect(proseFaults("a.md", page)).toEqual([]);
  expect(proseFaults("a.ts", `/** Returns the task. ${words(29)}. */\nsay("rejects it at once");`)).toEqual([]);
  expect(proseFaults("a.ts", "// What this returns is unchecked.\nexport const a = 1;")).toEqual([]);
  expect(proseFaults("a.yaml", `description: ${words(24)}. And an address of this machine.`)).toEqual([]);
});

test("questions are headings in an FAQ alone", () => {
  expect(proseFaults("a.md", "---\ntitle: FAQ\n---\n\n## Is it fast?\n")).toEqual([]);
  expect(proseFaults("a.md", "# FAQ\n\n## Is it fast?\n")).toEqual([]);
});
