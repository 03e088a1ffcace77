import { webSdk, nodeSdk } from "../clients.ts";
import { compile, emptyProgram } from "../compiler.ts";
import { consumerOf, consumers } from "../consumers.ts";
import { aimOf, inTurn, lineOf, without, type Row } from "../table.ts";

const empty = "an empty program";

export const row: Row = {
  title: "What a compiler needs",
  what: "TypeScript's own figures (--extendedDiagnostics, strict, skipLibCheck) for the programs in test/bench/consumers, less those of an empty one.",
  limit: "plain interfaces, which are looked up and not computed: a few instantiations.",
  notFirst:
    "their programs use fewer types. A program with either of our entry points is checked in a fraction of a second.",
  tables: [
    {
      title: "A program of thirty lines",
      columns: [
        { key: "instantiations", label: "instantiations", better: "less" },
        { key: "types", label: "types", better: "less" },
        { key: "checkMs", label: "check time, ms", better: "less" },
      ],
    },
  ],
  async measure(scale) {
    const lines = await inTurn([empty, ...Object.keys(consumers)], scale(5), async (client) =>
      compile(client === empty ? await emptyProgram() : consumerOf(client)),
    );
    return [without(lines, empty)];
  },
  aims([table]) {
    return [webSdk, nodeSdk].map((name) =>
      aimOf("instantiations", lineOf(table?.lines, name), "instantiations", { atMost: 100 }),
    );
  },
};
