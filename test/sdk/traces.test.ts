import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { reply } from "../faults/faults.ts";
import { type Fault, startRawServer } from "../faults/raw-server.ts";
import { startProxy } from "./proxy-server.ts";

const certificate = makeCertificate("localhost");

/** Generates, queries and downloads at each URL in a traced process, and returns its spans as text. */
async function traced(entryPoint: string, urls: readonly string[], { cert }: typeof certificate, env = {}) {
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const NODE_EXTRA_CA_CERTS = join(folder, "certificate.pem");
    await writeFile(NODE_EXTRA_CA_CERTS, cert);
    const program = resolve(import.meta.dirname, "processes/traced.ts");
    const options = { env: { ...process.env, NODE_EXTRA_CA_CERTS, ...env } };
    const { stdout } = await promisify(execFile)(process.execPath, [program, entryPoint, ...urls], options);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Starts a service that gives each task a result at its own URL, or at another one. */
async function serve(fault: Fault = {}, urlOf = (baseUrl: string) => baseUrl) {
  const envelope = (baseUrl: string) =>
    JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${urlOf(baseUrl)}/1`] } });
  const onRequest: Fault["onRequest"] = (socket, { baseUrl }) => void socket.write(reply(envelope(baseUrl)));
  const server = await startRawServer({ ...fault, onRequest });
  onTestFinished(() => server.close());
  return urlOf(server.baseUrl);
}

function expectSpans(stdout: string, urls: readonly string[], scope: string) {
  const spans = JSON.parse(stdout) as { attributes: Readonly<Record<string, unknown>>; scope: string }[];
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
  async ([, entryPoint, scope]) => {
    const urls = [await serve(), await serve({ certificate })];
    expectSpans(await traced(entryPoint, urls, certificate), urls, scope);
  },
);

test("and so it does through a proxy, which is in no span", async () => {
  const ofExample = makeCertificate("*.example.com");
  const urlOf = (baseUrl: string) => `https://media.example.com:${new URL(baseUrl).port}`;
  const url = await serve({ certificate: ofExample }, urlOf);
  await using proxy = await startProxy();
  const env = { HTTPS_PROXY: proxy.url.replace("//", "//user:canary@") };
  expectSpans(await traced("node", [url], ofExample, env), [url], "@opentelemetry/instrumentation-http");
  expect(proxy.heads).toHaveLength(3);
});
