import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../../faults/certificate.ts";
import { reply } from "../../faults/replies.ts";
import { type Fault, startRawServer } from "../../faults/raw-server.ts";
import { ownDirectory } from "../../sdk/result-server.ts";

const directory = ownDirectory();
const certificate = makeCertificate("localhost");

/** Starts a service that gives each task a result at its own URL. */
async function serve(fault: Fault = {}) {
  const envelope = (baseUrl: string) =>
    JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${baseUrl}/1`] } });
  const onRequest: Fault["onRequest"] = (socket, { baseUrl }) =>
    void socket.write(reply(envelope(baseUrl)));
  const server = await startRawServer({ ...fault, onRequest });
  onTestFinished(() => server.close());
  return server.baseUrl;
}

/** Generates, queries and downloads at each URL in a traced process. */
async function expectSpans(entry: string, urls: readonly string[], scope: string) {
  const NODE_EXTRA_CA_CERTS = join(directory.path, "certificate.pem");
  await writeFile(NODE_EXTRA_CA_CERTS, certificate.cert);
  const program = resolve(import.meta.dirname, "processes/traced.ts");
  const options = { env: { ...process.env, NODE_EXTRA_CA_CERTS } };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, entry, ...urls],
    options,
  );
  const [printed = "", heldMs] = stdout.split("\n");
  // Neither an idle connection, for 4 s, nor the lookup of a name, for 2 s, keeps a process alive.
  expect(Number(heldMs)).toBeLessThan(1_500);
  const spans = JSON.parse(printed) as {
    attributes: Readonly<Record<string, unknown>>;
    scope: string;
  }[];
  const paths = ["/v1/video/vidmodelv2", "/v1/video/infobytaskid", "/1"];
  const expected = urls.flatMap((url) => paths.map((path) => [scope, url + path]));
  expect(spans.map((span) => [span.scope, span.attributes["url.full"]])).toEqual(expected);
  expect(stdout).not.toContain("canary");
}

test.for([
  ["node:http", "node", "@opentelemetry/instrumentation-http"],
  ["undici", "plain", "@opentelemetry/instrumentation-undici"],
] as const)(
  "OpenTelemetry's instrumentation of %s sees each request under its URL, and no key",
  async ([, entry, scope]) => {
    const urls = [await serve(), await serve({ certificate })];
    await expectSpans(entry, urls, scope);
  },
);
