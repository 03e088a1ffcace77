import type { Kind } from "@mediagen/sdk";
import { inspectForm, type Operation } from "@mediagen/sdk/kit";
import {
  readProxyOptions,
  type MediaProxyOptions,
  type ProxyGeneration,
  readUser,
} from "./options.ts";
import {
  ownCode,
  rejectDroppedFile,
  rejectFields,
  rejectGeneration,
  Rejection,
  rejectQuery,
  responseOf,
  success,
} from "./rejection.ts";
import { findRoute, isForeign, keyOf, readBody, readParts, rejectOtherForms } from "./request.ts";
import { Seal } from "./seal.ts";

/** Maximum size of a query, which is a task's id and some flags. */
const longestQuery = 16_384;

/**
 * Creates a function that responds to the requests of web pages, on a server that holds the API
 * key. Mount it below any path. In the page, pass that URL to `createMediaGen` as `baseUrl`,
 * without an API key.
 *
 * It forwards generations of known models and queries of the user's own tasks, and nothing else.
 *
 * @returns The function. It never rejects.
 * @throws An `InvalidRequestError` if an option is not valid, or the client has no store
 * @example
 * const secret = process.env["PROXY_SECRET"] ?? "";
 * const proxy = createMediaProxy({ media, secret, user: signedInUser });
 * const url = "https://app.example/api/media/v1/video/vidmodelv2";
 * const response = await proxy(new Request(url, { method: "POST" }));
 */
export function createMediaProxy(
  options: MediaProxyOptions,
): (request: Request) => Promise<Response> {
  const given = readProxyOptions(options);
  const { onError = (error: unknown) => console.error(error) } = given;
  const proxy = new MediaProxy(given);
  return async (request) => {
    try {
      return await proxy.respond(request);
    } catch (error) {
      const reported = error instanceof Rejection ? error.cause : error;
      // Not awaited: errors of the listener must not change the response or end the process.
      if (reported !== undefined)
        void (async () => onError(reported, request))().catch((failed: unknown) =>
          console.error(failed),
        );
      return responseOf(error);
    }
  };
}

/** The proxy of one client. */
class MediaProxy {
  readonly #options: MediaProxyOptions;
  readonly #seal: Seal;

  constructor(options: MediaProxyOptions) {
    this.#options = options;
    this.#seal = new Seal(options.secret);
  }

  async respond(request: Request): Promise<Response> {
    const { user: userOf, origins = [] } = this.#options;
    const route = request.method === "POST" ? findRoute(new URL(request.url).pathname) : undefined;
    if (!route) throw new Rejection(404, "There is no such operation.");
    // Another site's page must not spend the credits of a user who is signed in here.
    if (isForeign(request, origins)) throw new Rejection(403, "The page is not one of this site.");
    const user = await ownCode(async () => readUser(await userOf(request)));
    if (!user) throw new Rejection(401, "Nobody is signed in.");
    const { kind, model, operation } = route;
    if (model === undefined) return this.#query(request, user, kind, operation);
    return this.#generate(request, { user, kind, model, idempotencyKey: keyOf(request) });
  }

  async #generate(request: Request, generation: ProxyGeneration): Promise<Response> {
    const { media, beforeGenerate = (given) => given, maxBytes = 20_000_000 } = this.#options;
    const { user, kind, model, idempotencyKey } = generation;
    rejectOtherForms(request);
    const parts = readParts(await readBody(request, maxBytes, (whole) => whole.formData()), model);
    const { form: read, issues } = await inspectForm(model, parts, true);
    rejectFields(issues);
    const form = await ownCode(async () => {
      const returned = await beforeGenerate(read, generation);
      rejectDroppedFile(read, returned);
      return returned;
    });
    if (typeof form === "string") throw new Rejection(422, form);
    // Two users may send the same key. Without the request's signal: closing the page would make
    // the outcome unknown.
    const options = { idempotencyKey: JSON.stringify([user, idempotencyKey]) };
    const task = await media
      .generate(model, form, options)
      .catch((error: unknown) => rejectGeneration(error));
    const { taskid, initialUrl: url } = task.toJSON();
    return success({
      taskid: await this.#seal.close(user, kind, taskid),
      ...(url === undefined ? {} : { url }),
    });
  }

  async #query(
    request: Request,
    user: string,
    kind: Kind,
    operation: Operation,
  ): Promise<Response> {
    const { media } = this.#options;
    // The cast: null and numbers have no fields, and the fields are checked.
    const sent = Object(await readBody(request, longestQuery, (whole) => whole.json())) as Record<
      string,
      unknown
    >;
    const sealed = sent["taskid"];
    const taskid =
      typeof sealed === "string" ? await this.#seal.open(user, kind, sealed) : undefined;
    if (taskid === undefined) throw new Rejection(422, "The user has no such task.");
    // Only fields of the service, because options of a query could change its headers.
    const names = operation.body.fields
      .map(({ field }) => field)
      .filter((name) => name !== "taskid" && Object.hasOwn(sent, name));
    const fields: object = Object.fromEntries(names.map((name) => [name, sent[name]]));
    const record = await media[kind]
      .query(taskid, fields)
      .catch((error: unknown) => rejectQuery(error, names));
    return success({ ...record, taskid: sealed });
  }
}
