import { createReadStream, openAsBlob } from "node:fs";
import type { MediaGen, MediaGenOptions } from "@mediagen/sdk";
import type { ImageModel } from "ai";
import { bornAtOf } from "./doubles.ts";

/** What a client does with the local server; what it does not offer is missing. */
export interface Client {
  /** Queries a task once. */
  query?(taskid: string): Promise<unknown>;
  /** Generates, and resolves to the task's id or to its results. */
  generate?(prompt: string): Promise<unknown>;
  /** Waits for a task that was generated before. */
  wait?(taskid: string): Promise<unknown>;
  /** Sends a file from disk. */
  upload?(path: string): Promise<unknown>;
}

/** How a client is created. */
export interface ClientOptions {
  readonly base: string;
  readonly maxQueriesInFlight?: number | undefined;
}

export const webSdk = "@mediagen/sdk";
export const nodeSdk = "@mediagen/sdk/node";
const apiKey = "bench-key";

/**
 * Ours, by both entry points, the peers, and what they all are built on. Each is loaded only when
 * it is created, and as its README says: nothing is set but the URL and a key.
 */
const clients: Readonly<Record<string, (options: ClientOptions) => Promise<Client>>> = {
  async [nodeSdk]({ base, maxQueriesInFlight }) {
    const { createMediaGen, fileFrom } = await import("@mediagen/sdk/node");
    return mediaGen(createMediaGen(optionsOf(base, maxQueriesInFlight)), fileFrom);
  },
  async [webSdk]({ base, maxQueriesInFlight }) {
    const { createMediaGen } = await import("@mediagen/sdk");
    return mediaGen(createMediaGen(optionsOf(base, maxQueriesInFlight)), openAsBlob);
  },
  async openai({ base }) {
    const { default: OpenAI } = await import("openai");
    const openai = new OpenAI({ apiKey, baseURL: `${base}/openai` });
    return {
      query: (taskid) => openai.videos.retrieve(taskid),
      generate: async (prompt) => (await openai.videos.create({ prompt })).id,
      upload: (path) => openai.files.create({ file: createReadStream(path), purpose: "user_data" }),
    };
  },
  async "@runwayml/sdk"({ base }) {
    const { default: RunwayML } = await import("@runwayml/sdk");
    const runway = new RunwayML({ apiKey, baseURL: `${base}/runway` });
    return {
      query: (taskid) => runway.tasks.retrieve(taskid),
      generate: async (promptText) =>
        (await runway.textToImage.create({ model: "gen4_image", promptText, ratio: "1024:1024" }))
          .id,
      wait: (taskid) => runway.tasks.retrieve(taskid).waitForTaskOutput(),
    };
  },
  async replicate({ base }) {
    const { default: Replicate } = await import("replicate");
    const replicate = new Replicate({ auth: apiKey, baseUrl: `${base}/replicate` });
    return {
      query: (taskid) => replicate.predictions.get(taskid),
      generate: async (prompt) =>
        (await replicate.predictions.create({ version: "version", input: { prompt } })).id,
      // The cast: a wait reads these two alone.
      wait: (id) =>
        replicate.wait({ id, status: "starting" } as Parameters<typeof replicate.wait>[0], {}),
      upload: async (path) => replicate.files.create(await openAsBlob(path)),
    };
  },
  async "@fal-ai/client"({ base }) {
    const { createFalClient } = await import("@fal-ai/client");
    const fal = createFalClient({
      credentials: apiKey,
      requestMiddleware: async (request) => ({
        ...request,
        url: `${base}/fal${new URL(request.url).pathname}`,
      }),
    });
    return {
      query: (requestId) => fal.queue.status("owner/app", { requestId }),
      generate: async (prompt) =>
        (await fal.queue.submit("owner/app", { input: { prompt } })).request_id,
      wait: (requestId) => fal.queue.subscribeToStatus("owner/app", { requestId, mode: "polling" }),
    };
  },
  async "raw fetch"({ base }) {
    const url = queryUrl(base);
    return {
      query: async (taskid) =>
        (await fetch(url, { method: "POST", headers, body: JSON.stringify({ taskid }) })).json(),
    };
  },
  async "node:http"({ base }) {
    // Not by an import, which would load undici, too.
    const { Agent, request: httpRequest } = process.getBuiltinModule("node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const { port, pathname: path } = new URL(queryUrl(base));
    return {
      query: (taskid) =>
        new Promise((resolve, reject) => {
          const body = JSON.stringify({ taskid });
          const request = httpRequest(
            {
              ...{ agent, host: "127.0.0.1", port, path, method: "POST" },
              headers: { ...headers, "content-length": body.length },
            },
            (response) => {
              let text = "";
              response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
              response.once("end", () => resolve(JSON.parse(text)));
            },
          );
          request.once("error", reject).end(body);
        }),
    };
  },
  async "@mediagen/ai-sdk-provider"({ base }) {
    const { createMediaGenProvider } = await import("@mediagen/ai-sdk-provider");
    const { createMediaGen } = await import("@mediagen/sdk/node");
    return aiSdk(
      createMediaGenProvider({ media: createMediaGen(optionsOf(base)) }).image("imgmodelz"),
    );
  },
  async "@ai-sdk/replicate"({ base }) {
    const { createReplicate } = await import("@ai-sdk/replicate");
    return aiSdk(
      createReplicate({ apiToken: apiKey, baseURL: `${base}/replicate` }).image("owner/model"),
    );
  },
  async "@ai-sdk/fal"({ base }) {
    const { createFal } = await import("@ai-sdk/fal");
    return aiSdk(createFal({ apiKey, baseURL: `${base}/fal` }).image("owner/app"));
  },
};

/** Creates a client, with what it offers. */
export function createClient(name: string, options: ClientOptions): Promise<Client> {
  const create = clients[name];
  if (!create) throw new TypeError(`no client is called ${name}`);
  return create(options);
}

async function aiSdk(model: ImageModel): Promise<Client> {
  const { generateImage } = await import("ai");
  return { generate: (prompt) => generateImage({ model, prompt }) };
}

const headers = { authorization: apiKey, "content-type": "application/json" };

function queryUrl(base: string): string {
  return `${base}/media/v1/images/infobytaskid`;
}

function optionsOf(base: string, maxQueriesInFlight?: number): MediaGenOptions {
  return { apiKey, baseUrl: `${base}/media`, maxQueriesInFlight };
}

function mediaGen(media: MediaGen, read: (path: string) => Promise<Blob>): Client {
  return {
    query: (taskid) => media.image.query(taskid),
    generate: async (prompt) => (await media.image.generate("imgmodelz", { prompt })).taskid,
    wait: (taskid) => {
      const task = {
        ...media.image.task(taskid).toJSON(),
        model: "imgmodelz",
        createdAt: bornAtOf(taskid),
      } as const;
      return media.task(task).wait();
    },
    upload: async (path) =>
      media.image.generate("imgmodelv45", { prompt: "A fox", sourceImage: await read(path) }),
  };
}
