import { bundle, consumerOf, consumers, weigh } from "../consumers.ts";
import { inTurn, type Figures, type Row } from "../table.ts";

export const row: Row = {
  title: "Size in a browser",
  what: "A program of some twenty lines that generates and waits, bundled and minified by esbuild, after gzip -9. *Initial*: the entry and its static imports. *Single file*: bundled without splitting.",
  notFirst:
    "the others check no forms. openapi-fetch does not wait either, and replicate resends what may have been billed.",
  tables: [
    {
      title: "Bytes",
      isDetail: true,
      columns: [
        { key: "initial", label: "initial", better: "less" },
        { key: "single", label: "single file", better: "less" },
      ],
    },
  ],
  measure: async () => [await inTurn(Object.keys(consumers), 1, sizesOf)],
};

async function sizesOf(client: string): Promise<Figures> {
  const initial = await bundle(consumerOf(client));
  const single = await bundle(consumerOf(client), { splitting: false });
  return { initial: weigh(initial), single: weigh(single) };
}
