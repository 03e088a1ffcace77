import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { apis } from "../../scripts/api.ts";

describe.each([...(await apis())])("@mediagen/%s", (name, text) => {
  test("its public surface is the one that is committed, so that a change of it shows in review", async () => {
    expect(text, `packages/${name}/api.md is stale: npm run api`).toBe(
      await readFile(`packages/${name}/api.md`, "utf8"),
    );
  });
});
