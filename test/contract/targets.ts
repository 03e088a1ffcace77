import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import { createHttpClient, type HttpClient } from "@mediagen/sdk/http";
import { startMock } from "../../scripts/mock.ts";
import { yaml, type BoundCase } from "./cases.ts";

/** How an operation ends, by the names of the spec's examples. */
export type Outcome = "success" | "failure" | "insufficientCredits";

/** Something that answers as the service does. */
export interface Target {
  readonly name: string;
  /** A client whose next answer has this outcome; without a key where it is undefined. */
  client(outcome: Outcome, apiKey?: string | undefined): MediaGen;
  /** An HTTP client whose next response has this outcome; without a key where it is undefined. */
  http(outcome: Outcome, apiKey?: string | undefined): HttpClient;
  /** Whether every outcome can be had for the asking. */
  readonly answersOnDemand: boolean;
  /** Whether it refuses what breaks this bound; what breaks a bound is not sent to a service that may take money for it. */
  refuses(bound: BoundCase): boolean | undefined;
  /** A task to query and delete. */
  taskid(kind: "video" | "image"): Promise<string>;
  close(): Promise<void>;
}

/** Prism on the spec and the emulator, or with `npm run test:all -- live` the service itself. */
export async function startTargets(): Promise<readonly Target[]> {
  if (import.meta.env.MODE === "live") return [live()];
  return [await prism(), emulator()];
}

const within10Seconds = (request: Request) =>
  fetch(new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(10_000)]) }));

async function prism(): Promise<Target> {
  const mock = await startMock(yaml);
  return {
    name: "Prism",
    answersOnDemand: true,
    client: (outcome, apiKey) =>
      createMediaGen({
        baseUrl: mock.baseUrl,
        apiKey,
        fetch: (url, init) => {
          const request = new Request(url, init);
          request.headers.set("Prefer", `example=${outcome}`);
          return within10Seconds(request);
        },
      }),
    http(outcome, apiKey) {
      const http = createHttpClient({ baseUrl: mock.baseUrl, apiKey });
      http.use({ onRequest: ({ request }) => request.headers.set("Prefer", `example=${outcome}`) });
      return http;
    },
    refuses: ({ hiddenFrom }) => hiddenFrom === "nobody",
    taskid: async () => "any",
    close: () => mock.close(),
  };
}

function emulator(): Target {
  const { client, next } = createEmulator({ credits: 1_000_000 });
  const optionsFor = (outcome: Outcome, apiKey: string | undefined) => ({
    ...client,
    apiKey: apiKey && client.apiKey,
    fetch: (url: string, init: RequestInit) => {
      if (outcome !== "success") next({ fault: outcome });
      return client.fetch(url, init);
    },
  });
  const target: Target = {
    name: "the emulator",
    answersOnDemand: true,
    client: (outcome, apiKey) => createMediaGen(optionsFor(outcome, apiKey)),
    http(outcome, key) {
      const { baseUrl, apiKey, fetch } = optionsFor(outcome, key);
      return createHttpClient({ baseUrl, apiKey, fetch });
    },
    refuses: ({ hiddenFrom }) => hiddenFrom !== "every service",
    taskid: (kind) => generateAny(target.client("success", "key"), kind),
    close: async () => undefined,
  };
  return target;
}

function live(): Target {
  const media = createMediaGen();
  return {
    name: "the service",
    answersOnDemand: false,
    client: () => media,
    http: () => createHttpClient(),
    refuses: () => undefined,
    taskid: (kind) => generateAny(media, kind),
    close: async () => undefined,
  };
}

async function generateAny(media: MediaGen, kind: "video" | "image"): Promise<string> {
  const form = { prompt: "A fox runs through snow" };
  const task =
    kind === "video" ? await media.video.generate("vidmodelv2", form) : await media.image.generate("imgmodelv4", form);
  return task.taskid;
}
