import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { reply } from "../faults/faults.ts";
import { type Fault, startRawServer } from "../faults/raw-server.ts";
import { startProxy } from "./proxy-server.ts";

const certificate = makeCertificate("localhost");

test.for([
  ["node:http", "node", "@opentelemetry/instrumentation-http"],
  ["undici", "plain", "@opentelemetry/instrumentation-undici"],
] as const)(
  "OpenTelemetry's instrumentation of %s sees each request under its URL, and no key",
  async ([, entryPoint, scope]) => {
    const envelope = (baseUrl: string) =>
      JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${baseUrl}/1`] } });
    const serves: Fault = { onRequest: (socket, { baseUrl }) => void socket.write(reply(envelope(baseUrl))) };
    const servers = [await startRawServer(serves), await startRawServer({ ...serves, certificate })];
    const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
    try {
      await writeFile(join(folder, "certificate.pem"), certificate.cert);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [resolve(import.meta.dirname, "processes/traced.ts"), entryPoint, ...servers.map(({ baseUrl }) => baseUrl)],
        { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem") } },
      );
      const spans = JSON.parse(stdout) as {
        readonly attributes: Readonly<Record<string, unknown>>;
        readonly scope: string;
      }[];
      expect(new Set(spans.map((span) => span.scope))).toEqual(new Set([scope]));
      expect(spans.map(({ attributes }) => attributes["url.full"])).toEqual(
        servers.flatMap(({ baseUrl }) => [
          `${baseUrl}/v1/video/vidmodelv2`,
          `${baseUrl}/v1/video/infobytaskid`,
          `${baseUrl}/1`,
        ]),
      );
      expect(stdout).not.toContain("canary");
    } finally {
      await rm(folder, { recursive: true });
      for (const server of servers) await server.close();
    }
  },
);

test("and so it does through a proxy, which is in no span", async () => {
  const ofExample = makeCertificate("*.example.com");
  const urlOf = (baseUrl: string) => `https://media.example.com:${new URL(baseUrl).port}`;
  const envelope = (baseUrl: string) =>
    JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${urlOf(baseUrl)}/1`] } });
  const server = await startRawServer({
    certificate: ofExample,
    onRequest: (socket, { baseUrl }) => void socket.write(reply(envelope(baseUrl))),
  });
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    await using proxy = await startProxy();
    await writeFile(join(folder, "certificate.pem"), ofExample.cert);
    const baseUrl = urlOf(server.baseUrl);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [resolve(import.meta.dirname, "processes/traced.ts"), "node", baseUrl],
      {
        env: {
          ...process.env,
          NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem"),
          HTTPS_PROXY: proxy.url.replace("//", "//user:canary@"),
        },
      },
    );
    const spans = JSON.parse(stdout) as { readonly attributes: Readonly<Record<string, unknown>> }[];
    expect(spans.map(({ attributes }) => attributes["url.full"])).toEqual([
      `${baseUrl}/v1/video/vidmodelv2`,
      `${baseUrl}/v1/video/infobytaskid`,
      `${baseUrl}/1`,
    ]);
    expect(stdout).not.toContain("canary");
    expect(proxy.heads).toHaveLength(3);
  } finally {
    await rm(folder, { recursive: true });
    await server.close();
  }
});
