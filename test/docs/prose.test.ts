import { expect, test } from "vitest";
import { proseFaults } from "../../scripts/prose.ts";

test.each([
  ["a.md", "The task\nwas paid\nfor.", 'a.md:2 "paid for": write billed, charged'],
  ["a.md", "| a |\n|---|\n| the time\nlimit |", 'a.md:3 "time limit": write timeout'],
  ["a.ts", "const a = 1;\n/** Is sent\n * again. */", 'a.ts:2 "sent * again": write retry, resend'],
  ["a.ts", 'throw new Error("it is\ntold");', 'a.ts:1 "is told": write receives, reports, says'],
])("a word of the table in %s is found, also across a line break", (path, text, fault) => {
  expect(proseFaults(path, text)).toEqual([fault]);
});
