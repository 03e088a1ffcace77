import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { earlyResponses } from "./early-response.ts";

const program = fileURLToPath(new URL("processes/early-response.ts", import.meta.url));

describe.for(["@mediagen/sdk", "@mediagen/sdk/node"])("a response before an upload is complete, with %s", (entry) => {
  test.concurrent.for(earlyResponses)(
    "ends no process: $name",
    async ({ start, outcomes, abortAfterMs }, { expect }) => {
      const { baseUrl, close } = await start();
      try {
        const given = JSON.stringify({ entry, baseUrl, abortAfterMs });
        const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, given], { timeout: 30_000 });
        expect(stderr).toBe("");
        for (const outcome of JSON.parse(stdout) as string[]) expect(outcomes).toContain(outcome);
      } finally {
        close();
      }
    },
  );
});
