import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";

const directory = "docs/examples/fleet";
const files = await readdir(directory);
const read = (name: string) => readFile(`${directory}/${name}`, "utf8");
const programs = (await Promise.all(files.filter((name) => name.endsWith(".ts")).map(read))).join(
  "\n",
);
const runbook = await readFile("docs/guides/fleet.md", "utf8");
/** The settings that the programs read. */
const settings = [...programs.matchAll(/\b(?:text|number)\(\s*"([A-Z_]+)"/g)].map(
  ([, name = ""]) => name,
);

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
/**
 * What the test looks at of the Compose file, which Compose itself checks for names that are not
 * there.
 */
interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command?: string; readonly environment?: object }>
  >;
}

test("the Compose file passes every setting to a worker, and its Redis loses no job", async () => {
  const text = await read("compose.yaml");
  const { services } = parse(text, { merge: true }) as Compose;
  const given = (await read("try.env")).split("\n").map((line) => line.split("=")[0]);
  // Every setting of a worker can be given in .env; those of the image, and a file with the key,
  // are the exceptions.
  const own = ["HOST", "PORT", "MEDIAGEN_API_KEY_FILE"];
  expect(Object.keys(services["worker"]?.environment ?? {}).sort()).toEqual(
    [...new Set(settings)].filter((name) => !own.includes(name)).sort(),
  );
  // Those that the file must be given, and those of a try.
  for (const [, variable] of text.matchAll(/\$\{(\w+):\?\}/g)) expect(given).toContain(variable);
  expect(services["redis"]?.command).toBe(
    "redis-server --appendonly yes --maxmemory-policy noeviction",
  );
});

test("a worker may take longer to end in Compose and on Kubernetes than it can take, and has requests and limits", async () => {
  const [, graceMs = "0"] = /"SHUTDOWN_GRACE_MS", ([\d_]+)/.exec(programs) ?? [];
  const [, closingMs = "0"] = /shutdownGraceMs \+ ([\d_]+)/.exec(programs) ?? [];
  expect(Number(graceMs.replaceAll("_", "")) + Number(closingMs.replaceAll("_", ""))).toBe(64_000);
  expect(await read("compose.yaml")).toContain("stop_grace_period: 70s");
  const deployment = await read("kubernetes.yaml");
  expect(deployment).toContain("terminationGracePeriodSeconds: 70");
  expect(deployment).toMatch(
    /resources:\s+requests:.*cpu: .*memory: .*\s+limits:.*cpu: .*memory: /,
  );
});

test("the Dockerfile copies what is there, and runs the worker", async () => {
  const dockerfile = await read("Dockerfile");
  const copied = [...dockerfile.matchAll(/\bfleet\/([\w*.-]+\w)/g)].map(([, path = ""]) =>
    path.replace("*.ts", "worker.ts"),
  );
  // The lockfile and the packages are there after `npm install`.
  expect(
    copied.filter((path) => !/^(packages|package-lock\.json)$/.test(path) && !files.includes(path)),
  ).toEqual([]);
  expect(dockerfile).toContain('CMD ["node", "worker.ts"]');
  const own = JSON.parse(await readFile("package.json", "utf8")) as Package;
  expect(dockerfile).toContain(`FROM node:${own.devDependencies?.["node"]}-`);
});

test("the fleet is installed with the versions that are tested here", async () => {
  const { dependencies = {} } = JSON.parse(await read("package.json")) as Package;
  const own = JSON.parse(await readFile("package.json", "utf8")) as Package;
  const queues = JSON.parse(await readFile("test/weekly/fleet/package.json", "utf8")) as Package;
  expect({ ...own.devDependencies, ...queues.dependencies }).toMatchObject(dependencies);
  const imported = [...programs.matchAll(/(?:from|import\() ?"((?:@[\w-]+\/)?[a-z][\w-]*)/g)].map(
    ([, name = ""]) => name,
  );
  const others = new Set(
    imported.filter((name) => !name.startsWith("@mediagen/") && name !== "node"),
  );
  expect([...others].sort()).toEqual(Object.keys(dependencies).sort());
});

test("the runbook has each alert, and each metric and setting; an alert is about metrics that a worker has", async () => {
  interface Rules {
    readonly groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  }
  const { groups } = parse(await read("alerts.yaml")) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  const metrics = [
    ...new Set([...programs.matchAll(/\b(mediagen_\w+)\{/g)].map(([, metric]) => metric)),
  ];
  for (const { alert, expr } of rules) {
    for (const [metric] of expr.matchAll(/mediagen_\w+/g)) expect(metrics).toContain(metric);
    expect(runbook).toContain(`| \`${alert}\` |`);
  }
  for (const metric of metrics) expect(runbook).toContain(`| \`${metric}\` |`);
  for (const name of settings) expect(runbook).toContain(`\`${name}\``);
  expect([rules.length, metrics.length, settings.length]).toEqual([11, 4, 18]);
});
