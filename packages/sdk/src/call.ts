import createClient, { type Client } from "openapi-fetch";
import { openEnvelope } from "./envelope.ts";
import { ConnectionError, InvalidRequestError, messageOf, OutcomeUnknownError, type Answer, type Generation } from "./errors.ts";
import { toFormData, type WireFields } from "./fields.ts";
import { isLoopback } from "./loopback.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.gen.ts";
import type { paths } from "./paths.gen.ts";

/** A fetch function; it is always called with a Request. */
export type Fetch = (request: Request) => Promise<Response>;

/** The openapi-fetch client, typed by the service's description. */
export type RawClient = Client<paths>;

/** What is called: where, by which fetch, with which key. */
export interface Connection {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** The API key, or undefined where the server at `baseUrl` holds it. */
  readonly apiKey: () => Promise<string | undefined>;
}

/** Sends one operation and answers the `data` of its envelope; `generation` is given where the operation is paid. */
export type Call = (
  operation: Operation,
  wire: WireFields,
  signal: AbortSignal | undefined,
  generation?: Generation,
) => Promise<Readonly<Record<string, unknown>>>;

/** The openapi-fetch client of a connection: it adds the key and sends forms as multipart, and opens no envelope. */
export function createRawClient(connection: Connection): RawClient {
  const fetch = async (request: Request): Promise<Response> => connection.fetch(await withKey(request, connection));
  const client = createClient<paths>({ baseUrl: connection.baseUrl, redirect: "error", fetch });
  // openapi-fetch tells a body's serialiser neither path nor media type, so the path chooses it. The casts: these are
  // pass-throughs, their types are those of the client that is returned.
  const init = (path: string, given: object) => (formPaths.has(path) ? { bodySerializer: toFormData, ...given } : given);
  return {
    ...client,
    POST: (path: string, given: object) => client.POST(path as never, init(path, given) as never),
    request: (method: string, path: string, given: object) =>
      client.request(method as never, path as never, init(path, given) as never),
  } as RawClient;
}

/** The key that an emulator takes unless told otherwise: sent elsewhere, it shows a mix-up of settings. */
const emulatorKey = "emulator-key";

const formPaths = new Set(
  Object.values(operations).flatMap(({ generate }) => Object.values(generate).map(({ path }) => path)),
);

/** How the client's own methods call the service. */
export function createCall(connection: Connection): Call {
  let client: RawClient | undefined;
  return async (operation, wire, signal, generation) => {
    signal?.throwIfAborted();
    client ??= createRawClient(connection);
    let answer: Answer | undefined;
    let handedOver = false;
    const fetch = async (request: Request): Promise<Response> => {
      await withKey(request, connection);
      signal?.throwIfAborted();
      handedOver = true;
      answer = await readAnswer(await connection.fetch(request));
      // The answer is read here, whatever its status, so openapi-fetch is left nothing to parse.
      return new Response(null, { status: 204 });
    };
    try {
      // The cast: the table's paths are those of the client's types, but a table has no literal types.
      await client.POST(operation.path as never, { body: wire, signal, fetch } as never);
    } catch (cause) {
      if (!handedOver) throw cause;
      if (generation) throw new OutcomeUnknownError(`no whole answer came (${messageOf(cause)})`, operation.id, generation, { cause });
      signal?.throwIfAborted();
      throw new ConnectionError(operation.id, cause);
    }
    if (!answer) throw new Error("openapi-fetch answered without calling fetch");
    return openEnvelope(answer, operation.id, generation);
  };
}

async function withKey(request: Request, { apiKey }: Connection): Promise<Request> {
  const key = await apiKey();
  if (key === emulatorKey && !isLoopback(new URL(request.url))) {
    const allowed = "the service's key; the emulator's is for the emulator on this machine";
    throw new InvalidRequestError("apiKey", [{ field: "apiKey", got: "the emulator's key", allowed }]);
  }
  if (key !== undefined) request.headers.set("Authorization", key);
  return request;
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, text: await response.text(), retryAfterMs: readRetryAfter(headers.get("retry-after")) };
}

/** A Retry-After header, in seconds or as a date, in milliseconds from now. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
