import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installIn } from "../../install-in.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The description as the package publishes it. */
export const published: string = fileURLToPath(
  new URL("../../../packages/sdk/openapi.gen.json", import.meta.url),
);

const out = (name: string) => join(here, "out", name);
const run = (name: string, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(here, "node_modules", name), ...args]);

/**
 * Installs the generators in their own directory. Generates a client with each, as its README
 * shows, into `out/`.
 */
export default async function setup(): Promise<void> {
  installIn(here);
  // Loaded here, because they may just have been installed.
  const { createClient } = await import("@hey-api/openapi-ts");
  const { generate } = await import("orval");
  const { generateApi } = await import("swagger-typescript-api");
  await rm(out("."), { recursive: true, force: true });
  await createClient({ input: published, output: out("hey-api"), logs: { level: "silent" } });
  const input = { target: published };
  const baseUrl = {
    runtime: "base.url",
    imports: [{ name: "base", importPath: "../../clients/orval-base.ts" }],
  };
  await generate({ input, output: { target: out("orval/fetch.ts"), client: "fetch", baseUrl } });
  const override = { zod: { version: 3 as const } };
  await generate({ input, output: { target: out("orval/zod.ts"), client: "zod", override } });
  await generateApi({
    input: published,
    output: out("swagger-typescript-api"),
    fileName: "client.ts",
    silent: true,
  });
  await run("oazapfts/dist/cli.js", published, out("oazapfts.ts"));
  await run(
    "openapi-zod-client/bin.js",
    published,
    "--export-schemas",
    "-o",
    out("openapi-zod-client.ts"),
  );
}
