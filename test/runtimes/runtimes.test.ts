import { expect, test } from "vitest";
import { installIn } from "../install-in.ts";
import { conform } from "./conform.ts";
import { chromium, type Engine, installedEngines, installedIn, systemNode } from "./engines.ts";

/**
 * `npm run test:weekly -- runtimes` runs all engines. `npm test` runs those that need no
 * installation: all its other tests run on the pinned Node.
 */
const isComplete = import.meta.env.MODE === "runtimes";
if (isComplete) installIn(installedIn, { scripts: true });
const engines: readonly Engine[] = isComplete
  ? [...installedEngines, chromium]
  : [systemNode(), chromium];
const entries = engines.flatMap((engine) => engine.entryPoints.map((entry) => ({ engine, entry })));

test.for(entries)(
  "$engine.name keeps each promise by the $entry entry point, with the known differences",
  async ({ engine, entry }) => {
    expect(await conform(engine, entry)).toEqual({ differs: engine.differs, failed: {} });
  },
);
