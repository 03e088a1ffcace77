import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import { createHttpClient, type HttpClient } from "@mediagen/sdk/http";
import { startMock } from "../../scripts/mock.ts";
import { yaml, type BoundCase } from "./cases.ts";

/** The outcome of an operation, by the names of the examples in the spec. */
export type Outcome = "success" | "failure" | "insufficientCredits";

/** Something that responds like the service. */
export interface Target {
  readonly name: string;
  /** A client whose next response has this outcome; without a key if that is undefined. */
  client(outcome: Outcome, apiKey?: string | undefined): MediaGen;
  /** An HTTP client, which checks nothing. */
  readonly http: HttpClient;
  /** Whether a test can choose the outcome. */
  readonly respondsOnDemand: boolean;
  /** Whether it rejects what breaks this bound; undefined for the service, which may bill it. */
  rejects(bound: BoundCase): boolean | undefined;
  /** A task to query and delete. */
  taskid(kind: "video" | "image"): Promise<string>;
  close(): Promise<void>;
}

/** Prism on the spec and the emulator, or with `npm run test:live` the service itself. */
export async function startTargets(): Promise<readonly Target[]> {
  if (import.meta.env.MODE === "live") return [live()];
  return [await prism(), emulator()];
}

async function prism(): Promise<Target> {
  const mock = await startMock(yaml);
  return {
    name: "Prism",
    respondsOnDemand: true,
    client: (outcome, apiKey) =>
      createMediaGen({
        baseUrl: mock.baseUrl,
        apiKey,
        queryTimeoutMs: 10_000,
        generateTimeoutMs: 10_000,
        fetch: (url, init) =>
          fetch(url, { ...init, headers: { ...init.headers, Prefer: `example=${outcome}` } }),
      }),
    http: createHttpClient({ baseUrl: mock.baseUrl, apiKey: "key" }),
    rejects: ({ hiddenFrom }) => hiddenFrom === "nobody",
    // Its records are those of the spec's examples.
    taskid: async (kind) => (kind === "video" ? "vt-20260412-7f3a9c" : "it-20260412-52e8d1"),
    close: () => mock.close(),
  };
}

function emulator(): Target {
  const { client, next } = createEmulator();
  const { baseUrl, apiKey, fetch } = client;
  const target: Target = {
    name: "the emulator",
    respondsOnDemand: true,
    client: (outcome, key) =>
      createMediaGen({
        ...client,
        apiKey: key && apiKey,
        fetch(url, init) {
          if (outcome !== "success") next({ fault: outcome });
          return fetch(url, init);
        },
      }),
    http: createHttpClient({ baseUrl, apiKey, fetch }),
    rejects: ({ hiddenFrom }) => hiddenFrom !== "every service",
    taskid: (kind) => generateAny(target.client("success", "key"), kind),
    close: async () => undefined,
  };
  return target;
}

function live(): Target {
  const media = createMediaGen();
  return {
    name: "the service",
    respondsOnDemand: false,
    client: () => media,
    http: createHttpClient(),
    rejects: () => undefined,
    taskid: (kind) => generateAny(media, kind),
    close: async () => undefined,
  };
}

async function generateAny(media: MediaGen, kind: "video" | "image"): Promise<string> {
  const form = { prompt: "A fox runs through snow" };
  const task =
    kind === "video"
      ? await media.video.generate("vidmodelv2", form)
      : await media.image.generate("imgmodelv4", form);
  return task.taskid;
}
