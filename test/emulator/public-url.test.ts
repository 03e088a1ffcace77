import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator, listen, type ListenOptions } from "@mediagen/emulator/node";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { kinds } from "../contract/cases.ts";

type Forward = (path: string, host: string) => { readonly path: string; readonly headers?: Record<string, string> };

/** Starts an emulator behind a proxy that passes on what `forward` makes of each request, and calls `use`. */
async function behindProxy(
  forward: Forward,
  use: (proxy: URL) => Promise<void>,
  options: (proxy: URL) => ListenOptions = () => ({}),
): Promise<void> {
  let port = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { path, headers } = forward(incoming.url ?? "", incoming.headers.host ?? "");
    const { host: _, ...rest } = incoming.headers as IncomingHttpHeaders;
    const passed = request({
      host: "127.0.0.1",
      port,
      path,
      method: incoming.method,
      headers: { ...rest, ...headers },
    });
    passed.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://localhost:${(proxy.address() as AddressInfo).port}`);
  const server = await listen(createEmulator(), options(url));
  port = Number(new URL(server.baseUrl).port);
  try {
    await use(url);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await server.close();
  }
}

describe("behind a proxy, results are downloaded through it", () => {
  const publicUrl = (path: string) => (proxy: URL) => ({ publicUrl: new URL(path, proxy).href });
  test.for<[string, string, Forward, ((proxy: URL) => ListenOptions)?]>([
    [
      "that sets X-Forwarded-Host",
      "/",
      (path, host) => ({ path, headers: { "x-forwarded-host": `${host}, inner`, "x-forwarded-proto": "http" } }),
    ],
    [
      "that removes a path, which X-Forwarded-Prefix says",
      "/media",
      (path, host) => ({ path: path.slice(6), headers: { "x-forwarded-host": host, "x-forwarded-prefix": "/media" } }),
    ],
    ["that says nothing, with a public URL", "/", (path) => ({ path }), publicUrl("/")],
    ["that removes a path, with a public URL", "/media", (path) => ({ path: path.slice(6) }), publicUrl("/media/")],
    [
      "that passes a path on, with a public URL, which counts more than headers",
      "/a/media",
      (path) => ({ path, headers: { "x-forwarded-host": "localhost:1" } }),
      publicUrl("/a/media"),
    ],
  ])("%s", async ([, path, forward, options]) => {
    await behindProxy(
      forward,
      async (proxy) => {
        const baseUrl = new URL(path, proxy).href.replace(/\/$/, "");
        const media = createMediaGen({ baseUrl, apiKey: "emulator-key" });
        const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
        await task.check(); // Each check moves time on.
        const { record } = await task.check();
        expect(record?.url[0]).toMatch(new RegExp(`^${baseUrl}/_emulator/results/`));
        expect((await blobs(task))[0]?.type).toBe("image/png");
        const page = await fetch(`${baseUrl}/_emulator`);
        expect([page.status, page.url]).toEqual([200, `${baseUrl}/_emulator/`]);
      },
      options,
    );
  });
});

describe("a result's URL begins", () => {
  const [, image] = kinds;
  /** Generates with a target and headers as they are, and returns the status and the URL of the response. */
  async function generate(headers: Record<string, string>, target = "", options: ListenOptions = {}) {
    const server = await listen(createEmulator(), options);
    const { port } = new URL(server.baseUrl);
    const path = image?.generate.get("imgmodelz")?.path ?? "";
    const body = "--b\r\nContent-Disposition: form-data; name=prompt\r\n\r\nA fox\r\n--b--\r\n";
    try {
      return await new Promise((resolve, reject) => {
        const all = { authorization: "emulator-key", "content-type": "multipart/form-data; boundary=b", ...headers };
        const sent = request({ host: "127.0.0.1", port, path: target + path, method: "POST", headers: all });
        sent.once("error", reject).end(body);
        sent.once("response", async (response) => {
          const text = Buffer.concat(await response.toArray()).toString();
          const { data } = response.statusCode === 200 ? (JSON.parse(text) as { data: { url: string } }) : {};
          resolve(data?.url.split("/_emulator/")[0] ?? response.statusCode);
        });
      });
    } finally {
      await server.close();
    }
  }

  const below = (publicUrl: string): ListenOptions => ({ publicUrl });
  test.for<[string, string | number, Record<string, string>, string?, ListenOptions?]>([
    ["with the Host header", "http://emulator:8080", { host: "emulator:8080" }],
    ["with an absolute target", "http://media.test", { host: "localhost" }, "http://media.test"],
    ["with one of a TLS proxy", "https://media.test:8443", { host: "localhost" }, "HTTPS://media.test:8443"],
    ["with the protocol of a TLS proxy", "https://media.test", { host: "media.test", "x-forwarded-proto": "https" }],
    ["with the public URL", "https://m.test/a", { "x-forwarded-host": "x.test" }, "/a", below("https://m.test/a/")],
    ["nowhere if the protocol is none", 400, { "x-forwarded-proto": "javascript" }],
    ["nowhere if the host is none", 400, { "x-forwarded-host": "localhost/@media.test" }],
    ["nowhere if the prefix is none", 400, { "x-forwarded-prefix": ".media.test/" }],
    ["nowhere if the path is not below the public URL", 404, {}, "/b", below("https://m.test/a")],
    ["nowhere if the path only begins like the public URL", 404, {}, "/ab", below("https://m.test/a")],
  ])("%s", async ([, expected, headers, target, options]) => {
    expect(await generate(headers, target, options)).toBe(expected);
  });
});
