import { fieldsOf, type Kind } from "@mediagen/sdk";
import { type Operation, service } from "@mediagen/sdk/kit";
import type { ProxyForm } from "./options.ts";
import { Rejection } from "./rejection.ts";

const longestKey = 255;
/** Maximum number of parts, more than any form has. */
const mostParts = 100;

/** An operation that a page may call. A query has no model. */
interface Route {
  readonly kind: Kind;
  readonly model: string | undefined;
  readonly operation: Operation;
}

/** Finds an operation by the end of a path, because the proxy may be mounted anywhere. */
export function findRoute(pathname: string): Route | undefined {
  const path = pathname.replace(/\/+$/, "");
  // The cast: these are its keys.
  for (const kind of Object.keys(service.operations) as Kind[]) {
    const { generate, query } = service.operations[kind];
    if (path.endsWith(query.path)) return { kind, model: undefined, operation: query };
    for (const [model, operation] of Object.entries(generate))
      if (path.endsWith(operation.path)) return { kind, model, operation };
  }
  return undefined;
}

/** Whether a page of another site sent the request. Only browsers send these headers. */
export function isForeign({ url, headers }: Request, origins: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin !== null && origins.includes(origin)) return false;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin";
  // Older browsers, and pages over http. A server behind a proxy knows its host only from the
  // header.
  if (origin === null) return false;
  return (
    !URL.canParse(origin) || new URL(origin).host !== (headers.get("host") ?? new URL(url).host)
  );
}

/** Returns the key of a generation. Only browsers must send one. */
export function keyOf({ headers }: Request): string {
  const given = headers.get("idempotency-key");
  // Only the key identifies a request that the browser itself repeats.
  if (!given && (headers.has("origin") || headers.has("sec-fetch-site")))
    throw new Rejection(
      422,
      "The header idempotency-key is missing. Send one that stays the same for a generation.",
    );
  const key = given || crypto.randomUUID();
  if (key.length > longestKey)
    throw new Rejection(422, `idempotency-key is longer than ${longestKey} characters.`);
  return key;
}

/** Rejects other forms, which a client in a page never sends. Node takes seconds to read some. */
export function rejectOtherForms({ headers }: Request): void {
  if (!/^multipart\/form-data(?:;|$)/i.test(headers.get("content-type") ?? ""))
    throw new Rejection(422, "The request cannot be read: send the form as multipart/form-data.");
}

/** Reads a body up to the limit, so that a larger one does not fill the memory. */
export async function readBody<T>(
  request: Request,
  maxBytes: number,
  read: (body: Response) => Promise<T>,
): Promise<T> {
  let bytes = Number(request.headers.get("content-length") ?? 0);
  const rejectLonger = () => {
    if (bytes > maxBytes) throw new Rejection(413, `The request is larger than ${maxBytes} bytes.`);
  };
  rejectLonger();
  bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      rejectLonger();
      controller.enqueue(piece);
    },
  });
  const type = request.headers.get("content-type") ?? "";
  try {
    return await read(
      new Response(request.body?.pipeThrough(counter) ?? null, {
        headers: { "content-type": type },
      }),
    );
  } catch {
    // Runtimes hide the error of the stream.
    rejectLonger();
    throw new Rejection(422, "The request cannot be read.");
  }
}

/** Reads the parts of a form, which are text and files, as the fields of a model. */
export function readParts(data: FormData, model: string): ProxyForm {
  const fields = fieldsOf(model);
  const form = new Map<string, unknown[]>();
  const lists = new Set<string>();
  let parts = 0;
  for (const [part, value] of data) {
    if (++parts > mostParts) throw new Rejection(422, `The form has more than ${mostParts} parts.`);
    const { field, many, ...one } = fields.find(
      (one) => one.part === part || one.field === part,
    ) ?? {
      field: part,
      part,
    };
    if (many && (one.part ?? field) === part) lists.add(field);
    const values = form.get(field) ?? [];
    values.push(value);
    form.set(field, values);
  }
  // A field with both text and files has too many values. The check reports that.
  const valueOf = (field: string, all: readonly unknown[]) =>
    lists.has(field) || all.length > 1 ? all : all[0];
  return Object.fromEntries(Array.from(form, ([field, all]) => [field, valueOf(field, all)]));
}
