import { readFile } from "node:fs/promises";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import {
  bodyOf,
  byKind,
  exampleOf,
  type PlacedOperation,
  readSpec,
  type Spec,
  specFile,
  type SpecOperation,
} from "./spec.ts";

/** A running mock. */
export interface Mock {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Serves the spec in `yaml` with Prism on the loopback; port 0 is any free one. */
export async function startMock(yaml: string, port = 0): Promise<Mock> {
  const operations = await getHttpOperationsFromSpec(mockable(readSpec(yaml)));
  const server = createServer(operations, {
    components: { logger: createLogger("mock", { level: "silent" }) },
    cors: true,
    config: {
      checkSecurity: true,
      errors: false,
      isProxy: false,
      mock: { dynamic: false },
      upstreamProxy: undefined,
      validateRequest: true,
      validateResponse: true,
    },
  });
  const baseUrl = await server.listen(port, "127.0.0.1");
  return { baseUrl, close: () => server.close() };
}

/**
 * Returns the spec with additions for Prism. Without an explicit encoding, it does not accept a
 * list of files. Without descriptions of 401 and 422, it rejects requests with its own envelope.
 */
function mockable(spec: Spec): Spec {
  const paths = Object.entries(spec.paths).map(([path, { post }]) => [
    path,
    { post: mockableOperation(post) },
  ]);
  return { ...spec, paths: Object.fromEntries(paths) };
}

function mockableOperation(operation: SpecOperation): SpecOperation {
  const json = operation.responses["200"]?.content["application/json"];
  const failure = json?.schema.oneOf?.find(({ properties }) => !properties?.["data"]) ?? {};
  const rejection = (msg: string) => ({
    description: msg,
    content: {
      "application/json": {
        schema: failure,
        examples: { rejected: { value: { code: failure.properties?.["code"]?.const, msg } } },
      },
    },
  });
  const fields = Object.entries(bodyOf(operation).properties ?? {});
  const lists = fields.filter(
    ([, { type, items }]) => type === "array" && items?.format === "binary",
  );
  const encoding = Object.fromEntries(
    lists.map(([name]) => [name, { style: "form", explode: true, allowReserved: true }]),
  );
  const content = Object.entries(operation.requestBody.content).map(([type, media]) => [
    type,
    lists.length > 0 ? { ...media, encoding } : media,
  ]);
  return {
    ...operation,
    requestBody: { ...operation.requestBody, content: Object.fromEntries(content) },
    responses: {
      ...operation.responses,
      "401": rejection("The request has no Authorization header"),
      "422": rejection("The request does not match the spec"),
    },
  };
}

/** Serves the mock until it is stopped, and prints requests to try. */
async function serveMock(port: number): Promise<void> {
  const yaml = await readFile(specFile, "utf8");
  const mock = await startMock(yaml, port);
  const [video, image] = byKind(readSpec(yaml));
  const generation = video && [...video.generate.values()][0];
  const query = image?.query;
  const deletion = video?.delete;
  console.log(`The mock listens on ${mock.baseUrl}; stop it with Ctrl+C. Any key will do:\n`);
  for (const operation of [generation, query, deletion])
    if (operation) console.log(`  ${curl(mock.baseUrl, operation)}`);
  console.log(`\nA 422 says what is wrong in its header sl-violations.`);
  console.log(`Add -H 'Prefer: example=failure' (or insufficientCredits) for another outcome.`);
}

function curl(baseUrl: string, operation: PlacedOperation): string {
  const { path, requestBody } = operation;
  const [type = ""] = Object.keys(requestBody.content);
  const value = exampleOf(operation);
  const body =
    type === "application/json"
      ? `-H 'Content-Type: ${type}' -d '${JSON.stringify(value)}'`
      : Object.entries(value)
          .map(([name, field]) => `-F '${name}=${String(field)}'`)
          .join(" ");
  return `curl -H 'Authorization: any' ${body} ${baseUrl}${path}`;
}

if (import.meta.main) {
  const [, , port = "4010"] = process.argv;
  if (/^\d+$/.test(port)) {
    await serveMock(Number(port));
  } else {
    console.error(`mock: the port is a number, not "${port}"`);
    process.exitCode = 1;
  }
}
