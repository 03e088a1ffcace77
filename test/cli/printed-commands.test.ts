import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { resumeCommand } from "../../packages/cli/src/tasks/resume-commands.ts";
import { createMediaGen } from "@mediagen/sdk/node";
import { quoted } from "../../packages/cli/src/terminal/shell-commands.ts";

/** The shells of this machine that printed commands are pasted into. bash is on all of them. */
const shells = ["bash", "zsh"].filter(
  (name) => name === "bash" || !spawnSync(name, ["-c", ":"]).error,
);

/** The words that a shell reads. */
function wordsIn(shell: string, line: string): readonly string[] {
  return spawnSync(shell, ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .stdout.split("\0")
    .slice(0, -1);
}

test.for(shells)("%s reads each word of a printed command as it was given", (shell) => {
  const words = [
    "a b",
    "it's",
    "",
    "=ls",
    "~",
    "$HOME",
    "!!",
    "(a)",
    "{a,b}",
    "*",
    "#c",
    "a;b",
    "a=b",
    "A fox",
  ];
  const odd = [
    "a\nb",
    "tab\there",
    "\x1b[2J",
    "\x85\u009b",
    "back\\slash\n",
    "it's\n",
    "Füchse 火",
  ];
  const line = [...words, ...odd].map(quoted).join(" ");
  expect(wordsIn(shell, line)).toEqual([...words, ...odd]);
  // It stays on its line, and cannot control the terminal.
  expect(line).not.toMatch(/\p{Cc}/u);
});

test.for(shells)("%s parses the commands that continue, whatever their task is called", (shell) => {
  const media = createMediaGen({ baseUrl: "http://127.0.0.1:9", apiKey: "key-of-a-test" });
  const resume = resumeCommand(
    [media.image.task("a'b\n; rm c")],
    { store: "a (store)" },
    "out; put/",
  );
  const words = "mediagen|task|download|image:a'b\n; rm c|-o|out; put/|--store|a (store)";
  expect(wordsIn(shell, resume).join("|")).toBe(words);
});
