import { createMediaGen, OutcomeUnknownError, type MediaGen } from "@mediagen/sdk/node";
import { readAccess } from "../client/access.ts";
import { nowhere } from "../client/connect.ts";
import type { Options } from "../flags/flags.ts";

/** A request as it would be sent. */
export interface DescribedRequest {
  readonly method: string;
  readonly url: string;
  /** The source of the key. The key itself is not shown. */
  readonly key: string;
  readonly parts: readonly DescribedPart[];
}

type DescribedPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: string; readonly type: string; readonly bytes: number };

/**
 * Returns the request of a generation and sends nothing: the client has a fetch function that only
 * reads the request.
 */
export async function describeRequest(
  generate: (media: MediaGen) => Promise<unknown>,
  options: Options,
): Promise<DescribedRequest> {
  const { baseUrl, apiKey } = await readAccess(options);
  const source = process.env["MEDIAGEN_API_KEY"]
    ? "from MEDIAGEN_API_KEY"
    : "saved by mediagen login";
  const key = apiKey === undefined ? "none" : source;
  let request: DescribedRequest | undefined;
  const media = createMediaGen({
    baseUrl: baseUrl ?? nowhere,
    allowHttp: options.allowHttp,
    // The request is not sent, and the key is not shown.
    apiKey: "not-shown",
    async fetch(url, { method = "", body }) {
      const parts = body instanceof Blob ? await partsOf(body) : [];
      request = { method, url: url.replace(nowhere, "$MEDIAGEN_BASE_URL"), key, parts };
      throw new Error("a dry run sends nothing");
    },
  });
  try {
    await generate(media);
  } catch (error) {
    if (!request || !(error instanceof OutcomeUnknownError)) throw error;
  }
  if (!request) throw new Error("the client made no request");
  return request;
}

/**
 * Returns the parts of a multipart body. The classes of the web that do the same take longer to
 * load than all the rest.
 */
async function partsOf(body: Blob): Promise<readonly DescribedPart[]> {
  // One character for each byte.
  const text = `\r\n${Buffer.from(await body.arrayBuffer()).toString("latin1")}`;
  const utf8 = (part: string) => Buffer.from(part, "latin1").toString();
  const [, boundary] = /boundary="?([^";]+)/.exec(body.type) ?? [];
  const parts = text.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const [head = "", value = ""] = part.split(/\r\n\r\n(.*)/s);
    const [, name = "", file] = /name="([^"]*)"(?:; filename="([^"]*)")?/.exec(utf8(head)) ?? [];
    const [, type = ""] = /^content-type: (.*)$/im.exec(head) ?? [];
    return file === undefined
      ? { name, value: utf8(value) }
      : { name, file, type, bytes: value.length };
  });
}

/** Returns a request as lines of text. */
export function requestText({ method, url, key, parts }: DescribedRequest): string {
  const width = Math.max(...parts.map(({ name }) => name.length));
  const lines = parts.map((part) => {
    const value = "value" in part ? part.value : `${part.file} (${part.type}, ${part.bytes} bytes)`;
    return `${part.name.padEnd(width)}  ${value}`;
  });
  const access = `Authorization: ${key === "none" ? key : `the key ${key}, not shown`}`;
  return [`${method} ${url}`, access, "Content-Type: multipart/form-data", "", ...lines].join("\n");
}
