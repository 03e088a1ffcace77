import {
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  type Form,
  type MediaGen,
  type TaskJSON,
} from "@mediagen/sdk";

/** Your own table: one saved task per user and order. */
export interface Videos {
  get(user: string, order: string): Promise<TaskJSON | undefined>;
  set(user: string, order: string, task: TaskJSON): Promise<void>;
}

/** The signed-in user: a client with this user's API key and store, and your table. */
export interface Account {
  readonly user: string;
  readonly media: MediaGen;
  readonly videos: Videos;
}

/** What a route sends back as JSON. */
export interface Reply {
  readonly status: number;
  readonly body: object;
}

/** POST /videos/ORDER: generates once per order, however often the page sends it. */
export async function startVideo({ user, media, videos }: Account, order: string, body: unknown): Promise<Reply> {
  const prompt = promptOf(body);
  if (prompt === undefined || !/^[\w-]{1,64}$/.test(order)) return { status: 400, body: { error: "not an order" } };
  // The page chooses the prompt, not what it costs.
  const form: Form<"vidmodelv2"> = { prompt, duration: 5, resolution: "720p" };
  try {
    // Without the request's abort signal: closing the page would make the outcome unknown.
    const task = await media.video.generate("vidmodelv2", form, { idempotencyKey: order });
    await videos.set(user, order, task.toJSON());
    return { status: 202, body: { state: "pending" } };
  } catch (error) {
    return rejection(error);
  }
}

/** GET /videos/ORDER: checks a task once. The table is read by user, so users see only their own tasks. */
export async function readVideo({ user, media, videos }: Account, order: string): Promise<Reply> {
  const saved = await videos.get(user, order);
  if (!saved) return { status: 404, body: { error: "not found" } };
  try {
    const task = media.task(saved);
    const { state, record } = await task.check();
    await videos.set(user, order, task.toJSON()); // A check may have seen some of its results.
    return { status: 200, body: { state, url: record?.url ?? [] } };
  } catch (error) {
    return rejection(error);
  }
}

/** Returns what the page may know of an error, and logs the rest. */
function rejection(error: unknown): Reply {
  console.error(error);
  if (error instanceof InvalidRequestError) return { status: 400, body: { error: "not sent", issues: error.issues } };
  if (error instanceof InsufficientCreditsError) return { status: 402, body: { error: "no credits" } };
  if (error instanceof OutcomeUnknownError) return { status: 409, body: { error: "outcome unknown: we look into it" } };
  return { status: error instanceof MediaGenError ? 502 : 500, body: { error: "please try again later" } };
}

function promptOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("prompt" in body)) return undefined;
  return typeof body.prompt === "string" ? body.prompt : undefined;
}

/** Sends a reply from a framework whose handlers return a web Response. */
export function toResponse({ status, body }: Reply): Response {
  return Response.json(body, { status });
}

/** Reads a body that should be JSON, and that anybody may have sent. */
export async function bodyOf(request: Request): Promise<unknown> {
  return request.json().catch(() => undefined);
}

export const signedOut: Reply = { status: 401, body: { error: "sign in first" } };
