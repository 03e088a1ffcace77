import { createEmulator, listen, type Emulator, type FaultName } from "@mediagen/emulator/node";
import * as node from "@mediagen/sdk/node";
import * as plain from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { faults, reply } from "./faults.ts";
import { startRawServer } from "./raw-server.ts";

const generations = 60;

/** A service in front of which a fifth of the answers to generations are lost. */
type LossyService = (emulator: Emulator) => Promise<{ readonly baseUrl: string; close(): Promise<void> }>;

/** Lost by the emulator itself. */
const byEmulator: readonly FaultName[] = [
  "resetAfter",
  "cutBody",
  "html",
  "brokenJson",
  "emptyBody",
  "serverError",
  "wrongCode",
];
/** Lost byte by byte, as the table of faults says. */
const byBytes: readonly string[] = [
  "a close after the request",
  "an end after the request",
  "half of a status line",
  "half of the headers",
  "garbage",
  "a chunk that is cut",
  "a whole envelope shorter than its length",
  "a reset within the body",
  "a switch of protocols",
  "redirect 307",
  "408",
  "502 in HTML",
];

const ways: Readonly<Record<string, LossyService>> = {
  ...Object.fromEntries(
    byEmulator.map((fault) => [
      fault,
      (emulator: Emulator) => (emulator.next({ fault, on: "generate", share: 0.2 }), listen(emulator)),
    ]),
  ),
  ...Object.fromEntries(byBytes.map((name) => [name, lossyBy(name)])),
};

/** A service that speaks HTTP by hand: it generates, and then answers every fifth as a row of the table says. */
function lossyBy(name: string): LossyService {
  const { onRequest } = faults.find((row) => row.name === name) ?? {};
  if (!onRequest) throw new Error(`no fault is called ${name}`);
  let generated = 0;
  return (emulator) =>
    startRawServer({
      async onRequest(socket, server, nth, head) {
        const path = /^POST (\S+)/.exec(head)?.[1] ?? "";
        const form = new FormData();
        form.append("prompt", "A fox");
        const { baseUrl, apiKey } = emulator.client;
        const answer = await emulator.fetch(
          new Request(baseUrl + path, { method: "POST", headers: { authorization: apiKey }, body: form }),
        );
        if (++generated % 5 === 0) onRequest(socket, server, nth, head);
        else socket.end(reply(await answer.text(), "200 OK", "Connection: close"));
      },
    });
}

describe.for([
  ["the plain entry point", plain.createMediaGen],
  ["the Node entry point", node.createMediaGen],
] as const)("%s", ([, createMediaGen]) => {
  test.for(Object.keys(ways))(
    "pays each of 60 generations once though a fifth of the answers end in %s, and tells of each lost one",
    async (way) => {
      const emulator = createEmulator({ clock: { speed: 1 }, credits: 1_000_000 });
      const server = await ways[way]?.(emulator);
      try {
        const media = createMediaGen({
          baseUrl: server?.baseUrl,
          apiKey: emulator.client.apiKey,
        });
        const calls = Array.from({ length: generations }, () => media.image.generate("imgmodelz", { prompt: "A fox" }));
        const outcomes = await Promise.allSettled(calls);
        const taskids = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.taskid] : []));
        const errors = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
        expect(emulator.charges).toHaveLength(generations);
        expect(new Set(taskids).size).toBe(taskids.length);
        expect(errors.length).toBeGreaterThan(5);
        expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(["OutcomeUnknownError"]));
        const known = new Set(emulator.charges.map(({ taskid }) => taskid));
        expect(taskids.filter((taskid) => !known.has(taskid))).toEqual([]);
      } finally {
        await server?.close();
      }
    },
  );
});
