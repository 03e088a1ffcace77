import { createEmulator, type Emulator, type EmulatorOptions } from "@mediagen/emulator";
import { createMediaGen } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  return { emulator, media: createMediaGen(emulator.client), at: emulator.clock.now() };
}

/** The status and the Retry-After of a query. */
async function query({ client, fetch }: Emulator) {
  const headers = { authorization: client.apiKey, "content-type": "application/json" };
  const init = { method: "POST", headers, body: '{"taskid":"t-0"}' };
  const response = await fetch("http://x/v1/video/infobytaskid", init);
  return [response.status, response.headers.get("retry-after")];
}

describe("rate limits", () => {
  test("say in Retry-After when the next call is allowed", async () => {
    const { emulator } = start({ clock: "manual", behaviour: { callsPerMinute: 1 } });
    expect(await query(emulator)).toEqual([200, null]);
    emulator.clock.advance("15s");
    expect(await query(emulator)).toEqual([429, "45"]);
    emulator.clock.advance("44s");
    expect(await query(emulator)).toEqual([429, "1"]);
    emulator.clock.advance("1s");
    expect(await query(emulator)).toEqual([200, null]);
  });

  test("allow so many calls at once, and rejected ones do not count", async () => {
    const { emulator } = start({ behaviour: { callsAtOnce: 2, queryLatencyMs: 1_000 } });
    const statusesOfFour = async () => {
      const calls = [1, 2, 3, 4].map(() => query(emulator));
      return (await Promise.all(calls)).map(([status]) => status);
    };
    expect(await statusesOfFour()).toEqual([200, 200, 429, 429]);
    expect(await statusesOfFour()).toEqual([200, 200, 429, 429]);
  });
});

describe("latency", () => {
  test("varies around its median, the same in each run", async () => {
    const spans = async (latencyJitter: number) => {
      const { emulator } = start({ behaviour: { downloadLatencyMs: 1_000, latencyJitter } });
      const measured: number[] = [];
      for (let call = 0; call < 400; call++) {
        const before = emulator.clock.now();
        await emulator.fetch("http://x/_emulator/results/none/1.png");
        measured.push(emulator.clock.now() - before);
      }
      return measured.sort((a, b) => a - b);
    };
    const steady = await spans(0);
    const varied = await spans(0.5);
    const again = await spans(0.5);
    expect(steady.at(0)).toBe(steady.at(-1));
    expect(varied).toEqual(again);
    expect(Math.abs((varied[200] ?? 0) - 1_000)).toBeLessThan(150);
  });
});
