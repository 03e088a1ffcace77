import { describe, expect, test } from "vitest";
import { conform, doorsOf } from "./conform.ts";
import { pinnedNode, systemNode } from "./engines.ts";

describe.each([
  { which: "the machine's own", engine: systemNode() },
  { which: "the pinned", engine: pinnedNode },
])("on $which $engine.name", ({ engine }) => {
  test.for(doorsOf(engine))("every promise is kept by the %s door", async (door) => {
    const cells = Object.entries(await conform(engine, door));
    expect(cells.filter(([, { outcome }]) => outcome === "failed" || outcome === "differs")).toEqual([]);
  });
});
