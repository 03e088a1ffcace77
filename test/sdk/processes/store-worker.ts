// Generates an image for each key that it is sent, and sends back what came of it. It may be killed
// or paused at any time.
import { setTimeout as pause } from "node:timers/promises";
import { createMediaGen as createWebMediaGen } from "@mediagen/sdk";
import {
  createMediaGen,
  type GenerationState,
  type GenerationStore,
  type MediaGenOptions,
} from "@mediagen/sdk/node";
import type { FromWorker, WorkerOptions } from "../killing.ts";
import { openStore } from "./open-store.ts";

const { baseUrl, name, at, speed, knowsProcesses } = JSON.parse(
  process.argv[2] ?? "",
) as WorkerOptions;
process.once("disconnect", () => process.exit());
const send = (message: FromWorker) => void process.send?.(message);

/** Reports each claim that replaces a silent one. */
function reportTakeOvers(store: GenerationStore): GenerationStore {
  const seen = new Map<string, GenerationState | undefined>();
  const attempts = new Set<string>();
  return {
    ...store,
    async get(id) {
      const record = await store.get(id);
      seen.set(id, record?.state);
      return record;
    },
    async write(record) {
      const result = await store.write(record);
      const isFirst = !attempts.has(record.attempt);
      attempts.add(record.attempt);
      if (
        result.written &&
        isFirst &&
        record.state === "claimed" &&
        seen.get(record.id) === "claimed"
      ) {
        send({ takenOver: record.idempotencyKey ?? "" });
      }
      return result;
    },
  };
}

// The client's clock runs faster, and all that it sleeps with it, so that a sender counts as silent
// after less than a second. What it compares stays in proportion: a sender renews its record three
// times before it counts as silent.
const start = { now: Date.now(), steady: performance.now() };
const options: MediaGenOptions = {
  baseUrl,
  apiKey: "sk-test",
  retries: 1,
  store: reportTakeOvers(await openStore(name, at)),
  clock: {
    now: () => start.now + (performance.now() - start.steady) * speed,
    sleep: async (ms, signal, reason) =>
      pause(reason === "limit" ? ms : ms / speed, undefined, {
        signal,
        ref: reason !== "background",
      }).catch(() => {
        throw signal.reason;
      }),
  },
  // A claim lasts for a moment, so that processes are killed and paused within it.
  beforeGenerate: () => pause(Math.random() * 60),
  onEvent: (event) => {
    if (event.type === "lateTask") send({ late: event.task.taskid });
  },
};
// One half of the workers knows which processes of this machine have ended; the other has to wait
// until they are silent.
const media = knowsProcesses ? createMediaGen(options) : createWebMediaGen(options);

process.on("message", async (key: string) => {
  try {
    const { taskid } = await media.image.generate(
      "imgmodelz",
      { prompt: key },
      { idempotencyKey: key },
    );
    send({ key, taskid });
  } catch (error) {
    send({
      key,
      error: error instanceof Error ? error.name : String(error),
      message: String(error),
    });
  }
});
send({ ready: true });
