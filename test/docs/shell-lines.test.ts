import { spawn } from "node:child_process";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { followChild, type Running } from "../child.ts";
import { directoryForAll } from "../temporary-directory.ts";
import { readAll } from "./read-all.ts";

const readers = directoryForAll("out");
const pages = [
  ...(await readAll("docs/guides/*.md")),
  ...(await readAll("README.md")),
  ...(await readAll("packages/*/README.md")),
];
const blocks = pages.flatMap(({ text }) =>
  [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block),
);
const lines = [
  ...new Set(
    blocks.flatMap((block) =>
      block.split("\n").map((line) => line.replace(/(^|\s)#.*/, "").trim()),
    ),
  ),
].filter((line) => line !== "");

/**
 * Lines that other tests run, and those that install or need a key, Docker, Claude Code or curl,
 * which not every machine has.
 */
const elsewhere = [
  /^((task|picture)=\$\()?mediagen /, // test/package/command.test.ts
  /^node operate\.ts /, // test/weekly/fleet
  // test/weekly/long, test/weekly/engines, test/docs/examples.test.ts
  /^NODE_OPTIONS=.* npx jest$|^npx restate-server$|^node first-video\.ts$/,
  /^(cd|claude|curl|docker|export|kubectl|mkdir|npm (ci|init|install)) /,
];

test("every shell line of guides and READMEs is run below or elsewhere", () => {
  const isRunBelow = (line: string) =>
    /^(PORT=3000 )?npx @mediagen\/(cli emulator|emulator)\b|^npm run mock$/.test(line);
  expect(
    lines.filter((line) => !isRunBelow(line) && !elsewhere.some((one) => one.test(line))),
  ).toEqual([]);
});

/**
 * The lines that run a program next to the emulator. Of those that differ in the program alone one
 * is run.
 */
const beside = lines.filter((line) => line.includes(" exec "));
const anyAddress = /http:\/\/127\.0\.0\.1:\d+/;
const program = /\bnode ([\w./-]+\.m?[jt]s)\b/;

test.concurrent.for(
  [...Map.groupBy(beside, (line) => line.replace(program, "node program")).values()].map(
    ([line = ""]) => line,
  ),
)("%s runs the command next to the emulator", async (line, { expect }) => {
  const faster = line.replace(" exec ", " --speed 100 exec ");
  const { code, stdout, stderr } = await run(faster, await createDirectory()).ended;
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(anyAddress);
});

test.concurrent.for(
  lines.filter((line) => /^npx @mediagen\/(cli )?emulator(?!.* exec )/.test(line)),
)("%s serves until it is stopped", async (line, { expect }) => {
  // Any free port: the one that it names may be taken on this machine.
  const { printed, stop } = run(`${line} --port 0`, await createDirectory());
  const [address] = await printed(anyAddress);
  expect((await fetch(`${address}/_emulator/`)).status).toBe(200);
  await stop();
});

test.concurrent("npm run mock serves the spec, and prints requests that succeed", async ({
  expect,
}) => {
  expect(lines).toContain("npm run mock");
  const { output, printed, stop } = run("npm run mock -- 0", ".");
  await printed(/sl-violations/);
  const requests = output.stdout.match(/^ *curl .*$/gm) ?? [];
  for (const request of requests) {
    const { code, stdout } = await run(`${request} --silent --fail`, ".").ended;
    expect(code, request).toBe(0);
    expect(stdout).toContain('"code":1000');
  }
  expect(requests).toHaveLength(3);
  await stop();
});

/**
 * The packages that npx has found. It takes a second of CPU, so that it starts one line of each,
 * and the others start without it.
 */
const found = new Set<string>();

/** Runs a line of a shell; npm finds what is installed here, and may not look elsewhere. */
function run(line: string, directory: string): Running & { readonly stop: () => Promise<void> } {
  const env = {
    ...process.env,
    npm_config_offline: "true",
    XDG_STATE_HOME: join(resolve(directory), "state"),
  };
  const direct = line.replace(/npx @mediagen\/(\w+)/, (npx, name: string) => {
    if (found.has(name)) return `node_modules/.bin/mediagen-${name}`.replace("-cli", "");
    found.add(name);
    return npx;
  });
  // A group of its own: npm starts others, and passes no signal on to them.
  const child = spawn("sh", ["-c", direct], {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const running = followChild(child);
  return {
    ...running,
    async stop() {
      if (child.pid) process.kill(-child.pid, "SIGTERM");
      await running.ended;
    },
  };
}

/**
 * Creates a directory as a reader has it: the packages, a test that shows its environment, and the
 * first programs.
 */
async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(readers, "reader-"));
  const show = 'node -p "process.env.MEDIAGEN_BASE_URL"';
  await writeFile(
    join(directory, "package.json"),
    JSON.stringify({ type: "module", scripts: { test: show } }),
  );
  // The programs themselves are run twice by test/package/command.test.ts.
  await mkdir(join(directory, "engines"));
  for (const name of lines.flatMap((line) => program.exec(line)?.[1] ?? []))
    await writeFile(join(directory, name), "console.log(process.env.MEDIAGEN_BASE_URL);\n");
  await symlink(resolve("node_modules"), join(directory, "node_modules"));
  return directory;
}
