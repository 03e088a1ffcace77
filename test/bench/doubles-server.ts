import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { endOf, newTaskid, type Seen, type Settings } from "./doubles.ts";
import { randomFrom } from "./random.ts";

interface Reply {
  readonly json: object;
  readonly kind?: "created" | "queried";
  readonly taskid?: string;
}

interface Asked {
  readonly method: string;
  readonly path: readonly string[];
  readonly body: string;
  readonly base: string;
}

/** What clients that fetch their results get: as much of a PNG as tells its type. */
const picture = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Each service, by its client's name. */
const services: Readonly<Record<string, (asked: Asked) => Reply>> = {
  media({ path, body, base }) {
    if (path.at(-1) === "infobytaskid") {
      const { taskid } = JSON.parse(body) as { taskid: string };
      return queried(taskid, (done) => ({
        code: 1000,
        msg: "success",
        data: {
          taskid,
          url: done ? [`${base}/result`] : [],
          task_status: 1,
          image_status: 1,
          width: 1024,
          height: 1024,
        },
      }));
    }
    return created((taskid) => ({ code: 1000, msg: "success", data: { taskid } }));
  },
  openai({ method, path }) {
    if (method === "POST")
      return path[0] === "files"
        ? { json: { id: "file", object: "file", bytes: 1 } }
        : created((id) => ({ id, object: "video", status: "queued", progress: 0 }));
    return queried(path[1], (done, id) => ({
      id,
      object: "video",
      status: done ? "completed" : "in_progress",
      progress: 0,
      model: "sora-2",
      seconds: "4",
      size: "720x1280",
    }));
  },
  runway({ method, path, base }) {
    if (method === "POST") return created((id) => ({ id }));
    return queried(path[2], (done, id) => {
      const state = done
        ? { status: "SUCCEEDED", output: [`${base}/result`] }
        : { status: "RUNNING", progress: 0.5 };
      return { id, createdAt: "2026-01-01T00:00:00Z", ...state };
    });
  },
  replicate({ method, path, base }) {
    const result = `${base}/result`;
    // The provider of the AI SDK asks to wait for the result, and needs its form.
    if (path[0] === "models")
      return created((id) => ({
        id,
        status: "succeeded",
        output: [result],
        urls: { get: `${base}/replicate/${id}` },
      }));
    if (path[0] === "files") return { json: { id: "file", urls: { get: result } } };
    if (method === "POST") return created((id) => ({ id, status: "starting", urls: {} }));
    return queried(path[1], (done, id) => {
      const state = done
        ? { status: "succeeded", output: result }
        : { status: "processing", output: null };
      return { id, urls: {}, logs: "", ...state };
    });
  },
  fal({ path, base }) {
    const result = `${base}/result`;
    const [, , third, part] = path;
    if (third !== "requests")
      return created((request_id) => ({
        ...{ request_id, status: "IN_QUEUE", queue_position: 0 },
        // The provider of the AI SDK reads the result here.
        images: [{ url: result }],
      }));
    const status = (done: boolean) => (done ? "COMPLETED" : "IN_PROGRESS");
    return queried(part, (done, request_id) => ({
      request_id,
      status: status(done),
      logs: [],
      images: [],
    }));
  },
};

function created(json: (taskid: string) => object): Reply {
  const taskid = newTaskid(Date.now(), 0);
  return { json: json(taskid), kind: "created", taskid };
}

function queried(
  taskid: string | undefined,
  json: (done: boolean, taskid: string) => object,
): Reply {
  if (taskid === undefined) throw new Error("a query without a task");
  return { json: json(Date.now() >= endOf(taskid), taskid), kind: "queried" };
}

const longestBody = 64 * 1024;

function serve(): void {
  let settings: Settings = {};
  let random = randomFrom(1);
  let queries = 0;
  let bytes = 0;
  let paid: Record<string, string[]> = {};
  const open = new Set<Socket>();
  let sockets = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers, url = "" } = request;
    const body = method === "GET" ? "" : await read(request);
    const [path = ""] = url.split("?");
    const [, client = "", ...rest] = path.split("/");
    if (client === "result")
      return void response.writeHead(200, { "content-type": "image/png" }).end(picture);
    const service = services[client];
    if (!service) throw new Error(`no client has the path ${url}`);
    const { json, kind, taskid } = service({
      method,
      path: rest,
      body,
      base: `http://${headers.host}`,
    });
    if (kind === "queried") queries++;
    if (kind === "created" && taskid !== undefined) {
      (paid[/fox (\d+)/.exec(body)?.[1] ?? "?"] ??= []).push(taskid);
      if (settings.lose && random() < 0.2)
        return lose(settings.lose, JSON.stringify(json), response);
    }
    const text = JSON.stringify(json);
    response
      .writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      })
      .end(text);
  }

  /** The beginning of a body: no more than a form's fields and a query's JSON need. */
  async function read(request: IncomingMessage): Promise<string> {
    let text = "";
    let length = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      if (length < longestBody) text += piece.toString("latin1");
      length += piece.length;
    }
    bytes += length;
    return text;
  }

  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 60_000 },
    (request, response) => {
      respond(request, response).catch((error: unknown) => {
        // A client that goes away ends its request; anything else is a fault of these doubles.
        if (!request.destroyed) console.error(error);
        response.destroy();
      });
    },
  );
  server.on("connection", (socket) => {
    open.add(socket);
    sockets = Math.max(sockets, open.size);
    socket.once("close", () => open.delete(socket));
  });
  process.on("message", (given: Settings | "seen") => {
    process.send?.({ queries, sockets, paid, bytes } satisfies Seen);
    if (given === "seen") return;
    settings = given;
    random = randomFrom(given.seed ?? 1);
    queries = 0;
    bytes = 0;
    sockets = 0;
    paid = {};
    // What an ended client has left open is not the next one's.
    for (const socket of open) socket.destroy();
    open.clear();
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 16_384 }, () =>
    process.send?.((server.address() as AddressInfo).port),
  );
}

/** Loses a response after the task was created and paid. */
function lose(how: NonNullable<Settings["lose"]>, text: string, response: ServerResponse): void {
  if (how === "rejected")
    return void response
      .writeHead(502, { "content-type": "text/html" })
      .end("<h1>Bad Gateway</h1>");
  if (how === "closed") return void response.destroy();
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

serve();
