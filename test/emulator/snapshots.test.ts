import { createEmulator, type Emulator, type Snapshot } from "@mediagen/emulator/node";
import { createMediaGen } from "@mediagen/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "../contract/cases.ts";

describe("what is not valid is rejected, and changes nothing", () => {
  test("a snapshot with any wrong value: restore rejects it, or no later call fails", async () => {
    const source = createEmulator();
    const { client } = source;
    const files = [
      await generate(source, "imgmodelz", { resolution: "64*64" }),
      await generate(source, "vidmodelv2", { resolution: "480p" }),
    ];
    const saved = JSON.stringify(source.snapshot());
    const places = placesIn(JSON.parse(saved));
    const odd = fc.constantFrom<unknown>(
      null,
      -1,
      1.5,
      1e300,
      2 ** 53,
      "../..",
      true,
      [],
      {},
      [null],
      undefined,
    );
    let restored = 0;
    const property = fc.asyncProperty(fc.constantFrom(...places), odd, async (place, value) => {
      const snapshot = JSON.parse(saved) as Snapshot;
      const [key = "", ...parents] = place.toReversed();
      const parent = parents.reduceRight(
        (node, key) => (node as Record<string, object>)[key] ?? {},
        snapshot as object,
      );
      Object.assign(parent, { [key]: value });
      const one = createEmulator();
      const before = JSON.stringify(one.snapshot());
      try {
        one.restore(snapshot);
      } catch (error) {
        expect(String(error)).toContain("not a snapshot");
        expect(JSON.stringify(one.snapshot())).toBe(before);
        return;
      }
      restored++;
      const headers = { authorization: client.apiKey, "content-type": "application/json" };
      const call = (path: string, body: object) =>
        one.fetch(client.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
      const taskids = one.tasks.map(({ taskid }) => taskid);
      for (const { query } of kinds)
        for (const taskid of taskids) await call(query.path, { taskid });
      for (const url of [...files, `${client.baseUrl}/_emulator/state`]) await one.fetch(url);
      for (const kind of kinds) await call(kind.delete.path, { taskids });
    });
    await fc.assert(property, { seed: 20_261_122, numRuns: 150 });
    expect(restored).toBeGreaterThan(20);
  });

  test.for<unknown>([undefined, null, "", {}, { version: 2 }])(
    "a snapshot that is %o",
    (snapshot) => {
      expect(() => createEmulator().restore(snapshot as Snapshot)).toThrow(
        "this is not a snapshot",
      );
    },
  );

  test.for([Number.NaN, -1, "5"])("credits of %j", (credits) => {
    const one = createEmulator();
    expect(() => createEmulator({ credits: credits as number })).toThrow("credits");
    expect(() => void (one.credits = credits as number)).toThrow("credits");
    expect(one.credits).toBe(1_000_000_000);
  });
});

/** Generates with an emulator, and returns the URL of the result. */
async function generate({ client }: Emulator, model: string, form: object): Promise<string> {
  const task = await createMediaGen(client).generate(model, { prompt: "A fox", ...form });
  return (await task.wait()).url[0] ?? "";
}

/** Returns the path of every value in a JSON object. */
function placesIn(node: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof node === "object" && node !== null ? Object.entries(node) : [];
  return [
    ...(path.length > 0 ? [path] : []),
    ...inner.flatMap(([key, value]) => placesIn(value, [...path, key])),
  ];
}
