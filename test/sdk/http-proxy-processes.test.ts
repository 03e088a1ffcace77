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

/** A service whose names only the proxy can resolve, with its results at another name. */
const serviceBehind = () => startService("https://results.example.com:PORT/1.png", result, ofExample);
const targetsOf = (heads: readonly string[]) => heads.map((head) => /^CONNECT (\S+):\d+ HTTP/.exec(head)?.[1]);
const withCredentials = (url: string) => url.replace("//", "//user:p%40ss@");

test("a process ends at once, with the proxies of its environment and authorities of NODE_EXTRA_CA_CERTS", async () => {
  await using service = await serviceBehind();
  const program = `
    import { blobs, createMediaGen } from ${JSON.stringify(resolve("packages/sdk/dist/node.js"))};
    const media = createMediaGen();
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
    await task.wait();
    const [blob] = await blobs(task);
    const end = performance.now();
    process.on("exit", () => console.log(JSON.stringify({ size: blob.size, heldMs: performance.now() - end })));`;
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    await writeFile(join(folder, "ca.pem"), `${ofExample.cert}\n${ofProxy.cert}`);
    for (const scheme of ["http", "https"]) {
      await using proxy = await startProxy(scheme === "https" ? { certificate: ofProxy } : {});
      const env = {
        ...process.env,
        MEDIAGEN_BASE_URL: `https://media.example.com:${service.port}`,
        MEDIAGEN_API_KEY: "key",
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
        HTTPS_PROXY: withCredentials(proxy.url),
      };
      const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
      const { size, heldMs } = JSON.parse((await run).stdout) as { size: number; heldMs: number };
      expect(size).toBe(result.length);
      // An idle connection is closed after 4 s.
      expect(heldMs).toBeLessThan(3_000);
      expect(targetsOf(proxy.heads)).toEqual(["media.example.com", "media.example.com", "results.example.com"]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The Nodes of this machine: that of the tests, and those in the PATH, which may be older. */
const nodes = [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))];

test.for([...new Set(nodes.filter((node) => existsSync(node)).map((node) => realpathSync(node)))])(
  "a process of %s connects through the proxy of its environment, or rejects before it connects",
  async (node) => {
    await using service = await serviceBehind();
    await using proxy = await startProxy();
    const program = `
      import https from "node:https";
      import { createMediaGen } from ${JSON.stringify(resolve("packages/sdk/dist/node.js"))};
      const print = (text) => console.log(text);
      const generate = async (options) => (await createMediaGen(options).video.generate("vidmodelv2", { prompt: "A fox" })).taskid;
      await generate({ retries: 0 }).then(print, ({ message }) => print(message));
      await generate({ agent: new https.Agent(), retries: 0 }).catch(({ name }) => print(name));
      print(process.allowedNodeEnvironmentFlags.has("--use-env-proxy"));`;
    const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
    try {
      await writeFile(join(folder, "ca.pem"), ofExample.cert);
      const env = {
        MEDIAGEN_BASE_URL: `https://media.example.com:${service.port}`,
        MEDIAGEN_API_KEY: "key",
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
        HTTPS_PROXY: withCredentials(proxy.url),
      };
      const { stdout } = await promisify(execFile)(node, ["--input-type=module", "-e", program], { env });
      const [first, second, isAble] = stdout.split("\n");
      if (isAble === "true") expect(first).toBe("t-1");
      else
        expect(first).toMatch(
          /^createMediaGen: HTTPS_PROXY names a proxy that this version of Node .*package proxy-agent/,
        );
      // Only the proxy knows the name of the service.
      expect([second, proxy.heads.length]).toEqual(["ConnectionError", isAble === "true" ? 1 : 0]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
