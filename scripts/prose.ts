import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const sources =
  "{*.md,.changeset/*.md,{docs,openapi,packages,scripts,test}/**/*.{html,md,ts,yaml}}";
/** Files that are generated or released, and the tests of this list. */
const notWritten = /\.gen\.|CHANGELOG|released\.yaml|api\.md$|prose\.test/;

/**
 * Words that read as translated, with plain replacements. A space in a pattern also matches a line
 * break in a comment.
 */
const plainWords: readonly (readonly [word: RegExp, plain: string])[] = [
  [/\banswer(s|ed|ing)? (a|the|its|his) (task|record|list|promise|envelope)/, "return, resolve to"],
  [/\b(lost|late|cut|HTML) answers?\b|\banswers? (was|is|were) lost/, "response"],
  [/\b(the|a|no) (service|server) answer(s|ed)\b/, "responds, returns"],
  [/\baddress(es)? of (the |an? |your |its )*(image|video|clip|picture|page|source)/, "URL"],
  [/\b(web|node|other|each|both|plain|two) doors?\b/, "entry point"],
  [/\b(the|four|eight|its) rooms?\b/, "directory, module"],
  [/\b(ask|look)(s|ed|ing)? again\b/, "poll, query again"],
  [/\bsen[dt]s? (it )?again\b/, "retry, resend"],
  [/\btime limits?\b|\blimits? (of|on) time\b/, "timeout"],
  [
    /(?<![#.`"]|connection (was )?|proxy (that )?)\brefus(e|es|ed|ing|al|als)\b(?! connection)/,
    "reject",
  ],
  [/\ballowed is\b/, "use, must be"],
  [/\bmend(s|ed|ing)?\b/, "fix"],
  [/\bnot(e|es|ed|ing) down\b/, "record"],
  [/\bof (yours|ours|theirs|one's own)\b/, "your own, custom"],
  [/\b(is|are|was) told\b|\btells? (an|of|that|when|how|whether)\b/, "receives, reports, says"],
  [/\bhears?\b/, "receives"],
  [/\bceilings?\b/, "limit"],
  [/\bheeds?\b/, "respects"],
  [/\bbeside\b(?= \w)/, "next to, besides"],
  [/\bnothing (is|was) paid\b/, "free, nothing is billed"],
  [/\bpaid for\b/, "billed, charged"],
  [/\basked for\b/, "requested"],
  [/\bbecame none\b/, "failed, unknown"],
  [/\bmeanwhile\b/, "while, in the meantime"],
  [/\bwhole\b(?= [a-z])(?! number)/, "complete"],
  [/, for (it|there|that|nobody|no) (is|are|was|has|may|can|would)\b/, "because"],
];

/** Returns the words of the table in all files, with their places. */
export async function lintProse(): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const path of glob(sources, {
    cwd,
    exclude: (name) => name === "node_modules" || name === "dist",
  }))
    if (!notWritten.test(path))
      faults.push(...proseFaults(path, await readFile(`${cwd}${path}`, "utf8")));
  return faults;
}

/** Returns the words of the table in a text, with their lines. */
export function proseFaults(path: string, text: string): readonly string[] {
  return plainWords.flatMap(([{ source }, plain]) =>
    [...text.matchAll(new RegExp(source.replaceAll(" ", "[\\s/*]+"), "gi"))].map(
      ({ 0: found, index }) =>
        `${path}:${text.slice(0, index).split("\n").length} "${found.replace(/\s+/g, " ")}": write ${plain}`,
    ),
  );
}
