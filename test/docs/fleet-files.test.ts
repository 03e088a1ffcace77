import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";

const directory = "docs/examples/fleet";
const files = await readdir(directory);
const read = (name: string) => readFile(`${directory}/${name}`, "utf8");
const programs = (await Promise.all(files.filter((name) => name.endsWith(".ts")).map(read))).join("\n");

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What the tests look at of a Compose file. */
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}
interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}
const composeFiles = ["compose.bullmq.yaml", "compose.pg-boss.yaml"];

test.for(composeFiles)("%s names files, services, volumes, variables and packages that are there", async (name) => {
  const text = await read(name);
  const { services, volumes } = parse(text, { merge: true }) as Compose;
  const given = (await read("try.env")).split("\n").map((line) => line.split("=")[0]);
  expect(Object.keys(services)).toEqual(expect.arrayContaining(["worker", "dashboard", "emulator"]));
  for (const service of Object.values(services)) {
    if (service.build) expect(service.build).toEqual({ context: "..", dockerfile: "fleet/Dockerfile" });
    for (const volume of service.volumes ?? []) expect(volumes).toHaveProperty(volume.split(":")[0] ?? "");
    for (const needed of Object.keys(service.depends_on ?? {})) expect(services[needed]?.healthcheck).toBeDefined();
    // Every setting of a worker can be given in .env; HOST, PORT and RESULTS_DIRECTORY are those of the image.
    const settings = [...programs.matchAll(/\bnumber\("([A-Z_]+)"/g)].map(([, setting]) => setting ?? "");
    if (service === services["worker"])
      expect(Object.keys(service.environment ?? {})).toEqual(
        expect.arrayContaining(["ALLOW_HTTP", ...settings.filter((setting) => setting !== "PORT")]),
      );
    for (const variable of Object.keys(service.environment ?? {}))
      expect(`${programs} DATABASE_URL POSTGRES_ PGBOSS_ MEDIAGEN_`).toContain(
        variable.replace(/^(POSTGRES|PGBOSS|MEDIAGEN)_\w+/, "$1_"),
      );
    // A port that is published is the one that the service listens on, on this machine alone.
    for (const port of service.ports ?? []) expect(port).toBe(`127.0.0.1:3000:${service.environment?.["PORT"]}`);
    if (Array.isArray(service.command) && service.command[0] === "node") expect(files).toContain(service.command[1]);
  }
  // Those that a file must be given, and those of a try.
  for (const [, variable] of text.matchAll(/\$\{(\w+):\?\}/g)) expect(given).toContain(variable);
  const [redis] = Object.values(services);
  if (name.includes("bullmq"))
    expect(redis?.command).toBe("redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction");
});

test("a worker may take longer to end in Compose and on Kubernetes than it can take", async () => {
  const [, graceMs = "0"] = /"SHUTDOWN_GRACE_MS", ([\d_]+)/.exec(programs) ?? [];
  const [, closingMs = "0"] = /closingMs = ([\d_]+)/.exec(programs) ?? [];
  const longest = (Number(graceMs.replaceAll("_", "")) + Number(closingMs.replaceAll("_", ""))) / 1_000;
  expect(longest).toBe(14);
  for (const name of composeFiles) expect(await read(name)).toContain("stop_grace_period: 20s");
  const { spec } = parse(await read("kubernetes.yaml")) as {
    readonly spec: { readonly template: { readonly spec: object } };
  };
  expect(spec.template.spec).toHaveProperty("terminationGracePeriodSeconds", 20);
});

test("the Dockerfile copies what is there, and runs the worker", async () => {
  const dockerfile = await read("Dockerfile");
  const copied = [...dockerfile.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
  // The lockfile and the packages are there after `npm install`.
  expect(copied).toEqual(["fleet/package.json", "fleet/package-lock.json", "fleet/packages", "fleet/*.ts"]);
  expect(dockerfile).toContain('CMD ["node", "worker.ts"]');
  const own = JSON.parse(await readFile("package.json", "utf8")) as Package;
  expect(dockerfile).toContain(`FROM node:${own.dependencies["node"]}-`);
});

test("the fleet is installed with the versions that are tested here", async () => {
  const { dependencies } = JSON.parse(await read("package.json")) as Package;
  const own = JSON.parse(await readFile("package.json", "utf8")) as Package;
  // The dashboard of pg-boss is a command, which no program imports.
  for (const [name, version] of Object.entries(dependencies))
    if (name !== "@pg-boss/dashboard") expect({ [name]: own.devDependencies?.[name] }).toEqual({ [name]: version });
  const imported = [...programs.matchAll(/(?:from|import\() ?"((?:@[\w-]+\/)?[a-z][\w-]*)/g)].map(
    ([, name = ""]) => name,
  );
  const missing = imported.filter(
    (name) => !name.startsWith("@mediagen/") && !(name in dependencies) && name !== "node",
  );
  expect(missing).toEqual([]);
});

test("each alert is about metrics that a worker has, and stands in the runbook", async () => {
  interface Rules {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  }
  const { groups } = parse(await read("alerts.yaml")) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  const runbook = await readFile("docs/guides/queues-operation.md", "utf8");
  for (const { alert, expr } of rules) {
    for (const [metric] of expr.matchAll(/mediagen_\w+/g)) expect(programs).toContain(`name: "${metric}"`);
    expect(runbook).toContain(`| \`${alert}\` |`);
  }
  const metrics = [...programs.matchAll(/name: "(mediagen_\w+)"/g)].map(([, metric]) => metric);
  for (const metric of metrics) expect(runbook).toContain(`| \`${metric}\` |`);
  const settings = [...programs.matchAll(/\b(?:text|number)\("([A-Z_]+)"/g)].map(([, name]) => name);
  for (const name of settings) expect(runbook).toContain(`\`${name}\``);
  expect([rules.length, metrics.length, settings.length]).toEqual([9, 7, 12]);
});
