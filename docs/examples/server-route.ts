// #region route
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import {
  createMediaGen,
  fileStore,
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore("generations") }); // the API key stays in this process
const tasks = new Map<string, TaskJSON>(); // your own table

interface Order {
  /** Created by the page once per press of the button, and repeated in each retry. */
  readonly id: string;
  readonly prompt: string;
}

/** POST /videos: generates once per order of a user, however often the browser sends it. */
async function post(user: string, { id, prompt }: Order): Promise<object> {
  // The page chooses the prompt, not what it costs.
  const form: Form<"vidmodelv2"> = { prompt, duration: 5, resolution: "720p" };
  const idempotencyKey = `${user}/${id}`;
  const task = await media.video.generate("vidmodelv2", form, { idempotencyKey });
  tasks.set(idempotencyKey, task.toJSON());
  return { state: "pending" };
}

/** GET /videos/ID: checks a task of the same user once. */
async function get(user: string, id: string): Promise<object | undefined> {
  const saved = tasks.get(`${user}/${id}`);
  if (!saved) return undefined;
  const { state, record } = await media.task(saved).check();
  return { state, url: record?.url ?? [] };
}

/** Returns what the page may know of an error, and logs the rest. */
function rejection(error: unknown): readonly [status: number, body: object] {
  console.error(error);
  if (error instanceof InvalidRequestError) return [400, { error: "not sent", issues: error.issues }];
  if (error instanceof OutcomeUnknownError) return [409, { error: "outcome unknown: we look into it" }];
  return [error instanceof MediaGenError ? 502 : 500, { error: "please try again later" }];
}
// #endregion route

// #region server
const server = createServer(async (request, response) => {
  const [status, body] = await answer().catch(rejection);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  async function answer(): Promise<readonly [status: number, body: object]> {
    const user = "user-17"; // from your session: everybody who may call this spends your credits
    const [, path, id] = new URL(request.url ?? "/", "http://localhost").pathname.split("/");
    if (path === "videos" && request.method === "POST") {
      const order = (await json(request)) as Order; // check it, as you check every body
      return [202, await post(user, order)];
    }
    const found = path === "videos" && id ? await get(user, id) : undefined;
    return found ? [200, found] : [404, { error: "not found" }];
  }
});
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(server.address()));
// #endregion server
