import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { apiOf, reported } from "../../scripts/api.ts";

describe.each(reported)("@mediagen/%s", (name) => {
  test("its public surface is the one that is committed, so that a change of it shows in review", async () => {
    expect(await apiOf(name), `packages/${name}/api.md is stale: npm run api`).toBe(
      await readFile(`packages/${name}/api.md`, "utf8"),
    );
  });
});
