import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { MediaGen, MediaGenEvent, MediaGenOptions, Task } from "@mediagen/sdk";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { serve } from "../serve.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A task id that is no file name, and leads out of a directory. */
export const hostileId = "../t:1";

/** Serves while the tests of a file run. Returns what returns the origin. */
export function serveForAll(respond: RequestListener): () => string {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => void (server = await serve(respond)));
  afterAll(() => server[Symbol.asyncDispose]());
  return () => server.baseUrl;
}

/**
 * A service with the servers of its results, while the tests of a file run. Each path has its
 * handler.
 */
export function serveResults(handlers: Record<string, Handler>) {
  const requests: IncomingMessage[] = [];
  let data = {};
  const origin = serveForAll((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (path.endsWith("infobytaskid"))
      return void response.end(JSON.stringify({ code: 1000, msg: "", data }));
    requests.push(request);
    handlers[path]?.(request, response);
  });
  beforeEach(() => void requests.splice(0));
  return {
    handlers,
    /** The requests for results, in order. */
    requests,
    origin,
    /** A task of this service whose results are at these paths, and the events of its client. */
    taskWith(
      create: (options: MediaGenOptions) => MediaGen,
      paths: readonly string[],
      options: MediaGenOptions = {},
    ) {
      const taskid = hostileId;
      data = { taskid, url: paths.map((path) => (path.startsWith("/") ? origin() + path : path)) };
      const events: MediaGenEvent[] = [];
      const onEvent = (event: MediaGenEvent) => void (event.type === "ended" || events.push(event));
      const client = {
        baseUrl: origin(),
        apiKey: "secret-key",
        clock: { random: () => 0 },
        onEvent,
      };
      const task: Task = create({ ...client, ...options }).image.task(taskid);
      return { task, events };
    },
  };
}

/** The rest of a result, as a server returns it. */
export interface Rest {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Buffer;
}

/**
 * Cuts the first response after so many bytes. Later ones are complete, or the rest if one is
 * requested and given.
 */
export function cutOnce(
  all: Buffer,
  at: number,
  first: Readonly<Record<string, string>>,
  rest?: Rest,
): Handler {
  let isCut = false;
  return ({ headers: { range } }, response) => {
    const { status = 206, headers = {}, bytes = all.subarray(at) } = rest ?? {};
    const contentRange = `bytes ${at}-${all.length - 1}/${all.length}`;
    if (range !== undefined && rest)
      return response.writeHead(status, { "content-range": contentRange, ...headers }).end(bytes);
    const length = "transfer-encoding" in first ? {} : { "content-length": all.length };
    response.writeHead(200, { ...length, ...first });
    if (isCut) return response.end(all);
    isCut = true;
    return response.write(all.subarray(0, at), () => setTimeout(() => response.destroy(), 20));
  };
}

/** A directory of each test's own. */
export function ownDirectory(): { readonly path: string } {
  const directory = { path: "" };
  beforeEach(async () => void (directory.path = await temporaryDirectory()));
  return directory;
}
