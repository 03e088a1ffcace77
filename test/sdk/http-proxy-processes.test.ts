import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { startProxy, startService } from "./proxy-server.ts";

const ofExample = makeCertificate("*.example.com");
const ofProxy = makeCertificate("localhost");
const result = randomBytes(3_000_000);
/** Prints what it did, and how long the process was kept alive after that. */
const program = `
  import https from "node:https";
  import { blobs, createMediaGen } from ${JSON.stringify(resolve("packages/sdk/dist/node.js"))};
  const print = (value) => console.log(JSON.stringify(value));
  print(process.allowedNodeEnvironmentFlags.has("--use-env-proxy"));
  const generate = (options) => createMediaGen({ retries: 0, ...options }).video.generate("vidmodelv2", { prompt: "A fox" });
  await generate({ agent: new https.Agent() }).catch(({ name }) => print(name));
  try {
    const task = await generate();
    await task.wait();
    const [{ size }] = await blobs(task);
    const end = performance.now();
    process.on("exit", () => print([size, performance.now() - end]));
  } catch ({ message }) {
    print(message);
  }`;

/** The Nodes of this machine: that of the tests, and those in the PATH, which may be older. */
const nodes = [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "node"))];

test.for([...new Set(nodes.filter((node) => existsSync(node)).map((node) => realpathSync(node)))])(
  "a process of %s uses the proxy of its environment and ends at once, or rejects before it connects",
  async (node) => {
    // Only the proxy can resolve its names.
    await using service = await startService("https://results.example.com:PORT/1.png", result, ofExample);
    const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
    try {
      await writeFile(join(directory, "ca.pem"), `${ofExample.cert}\n${ofProxy.cert}`);
      for (const certificate of [undefined, ofProxy]) {
        await using proxy = await startProxy(certificate && { certificate });
        const env = {
          MEDIAGEN_BASE_URL: `https://media.example.com:${service.port}`,
          MEDIAGEN_API_KEY: "key",
          NODE_EXTRA_CA_CERTS: join(directory, "ca.pem"),
          HTTPS_PROXY: proxy.url.replace("//", "//user:p%40ss@"),
        };
        const { stdout } = await promisify(execFile)(node, ["--input-type=module", "-e", program], { env });
        const [isAble, withAgent, outcome] = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown);
        expect(withAgent).toBe("ConnectionError");
        // An idle connection is closed after 4 s.
        const atOnce = expect.toSatisfy((ms: number) => ms < 3_000) as number;
        if (isAble) expect(outcome).toEqual([result.length, atOnce]);
        else
          expect(outcome).toMatch(/^createMediaGen: HTTPS_PROXY names a proxy that this version of Node .*proxy-agent/);
        const targets = ["media.example.com", "media.example.com", "results.example.com"];
        expect(proxy.targets).toEqual(isAble ? targets : []);
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);
