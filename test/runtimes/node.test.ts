import { describe, expect, test } from "vitest";
import { conform, entriesOf } from "./conform.ts";
import { pinnedNode, systemNode } from "./engines.ts";

describe.each([
  { which: "the machine's own", engine: systemNode() },
  { which: "the pinned", engine: pinnedNode },
])("on $which $engine.name", ({ engine }) => {
  test.for(entriesOf(engine))("every promise is kept by the %s entry point", async (entry) => {
    const cells = Object.entries(await conform(engine, entry));
    expect(cells.filter(([, { outcome }]) => outcome === "failed" || outcome === "differs")).toEqual([]);
  });
});
