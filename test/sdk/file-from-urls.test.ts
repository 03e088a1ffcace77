import dns from "node:dns";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { ConnectionError, fileFrom as plainFileFrom, InvalidRequestError, ServiceError } from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { errorOf } from "./fake-service.ts";
import { privateHosts, privateUrls, publicHosts } from "./private-hosts.ts";
import { startProxy } from "./proxy-server.ts";

const gif = Buffer.from("GIF89a and the rest");
const requests: IncomingMessage[] = [];
const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/fox.gif": (_, response) => response.setHeader("content-type", "text/plain").end(gif),
  "/page": (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end("<html>Sign in"),
  "/gone": (_, response) => response.writeHead(404).end("not here"),
  "/once": (_, response) => response.writeHead(302, { location: "/fox.gif?token=hush" }).end(),
  "/round": (_, response) => response.writeHead(302, { location: "/round?token=hush" }).end(),
  "/odd": (_, response) => response.writeHead(302, { location: "file:///etc/passwd?token=hush" }).end(),
  "/cut": (_, response) =>
    void response.setHeader("content-length", 100).write(gif, () => setTimeout(() => response.destroy(), 20)),
  "/stuck": (_, response) => void response.write(gif),
  "/silent": () => undefined,
  "/large": (_, response) => response.setHeader("content-length", 10 ** 9).write(gif),
  "/endless": (_, response) => {
    const write = () => void (!response.destroyed && response.write(Buffer.alloc(65_536), () => setImmediate(write)));
    response.write(gif, write);
  },
};
const server = createServer((request, response) => {
  requests.push(request);
  handlers[new URL(request.url ?? "", "http://x").pathname]?.(request, response);
});
let origin = "";
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void requests.splice(0));

const entries = [
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const;
const allowPrivateHosts = true;
const message = expect.stringMatching(/ leads | redirects | is not an absolute URL/) as string;
const notAllowed = { name: "InvalidRequestError", issues: [{ code: "invalid", message }] };

describe.each(entries)("a URL passed to fileFrom of %s", (_, from) => {
  /** What comes of a URL, with a fetch that gets everything from the server here, by path. */
  async function resultOf(
    url: string | URL,
  ): Promise<{ readonly result: unknown; readonly requested: readonly string[] }> {
    const requested: string[] = [];
    const fetch = async (one: string) => {
      requested.push(one);
      const { pathname, search } = new URL(one);
      return globalThis.fetch(`${origin}${pathname === "/1" ? "/fox.gif" : pathname}${search}`, { redirect: "manual" });
    };
    return { result: await errorOf(from(url, { fetch })), requested };
  }

  test("is requested without a key, and its image is typed by its bytes and named by the URL", async () => {
    for (const url of [`${origin}/fox.gif?size=2`, new URL(`${origin}/fox.gif`), `${origin}/once`]) {
      const file = await from(url, { allowPrivateHosts });
      const name = String(url).endsWith("/once") ? "file.gif" : "fox.gif";
      expect(file).toMatchObject({ name, type: "image/gif", size: gif.length });
    }
    for (const { headers } of requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers["user-agent"]).toMatch(/^mediagen\//);
      expect(headers["accept-encoding"]).toBe("identity");
    }
  });

  test.for([...privateUrls, ...privateHosts.map((host) => `http://${host}/1`)])(
    "is rejected if it leads into a private network: %s",
    async (url) => {
      const { result, requested } = await resultOf(url);
      expect(result).toMatchObject(notAllowed);
      expect(requested).toEqual([]);
      // Also by the entry point's own way to request it.
      await expect(from(url)).rejects.toMatchObject(notAllowed);
    },
  );

  test.for(publicHosts)("is requested if its host is %s", async (host) => {
    const { result, requested } = await resultOf(`http://${host}/1`);
    expect(result).toBeInstanceOf(File);
    expect(requested).toEqual([new URL(`http://${host}/1`).href]);
  });

  test.for([...privateUrls, "file:///etc/passwd", "ftp://x.test/a", "https://["])(
    "is rejected if it redirects to %s",
    async (location) => {
      handlers["/inside"] = (_request, response) => response.writeHead(302, { location }).end();
      const { result, requested } = await resultOf("http://images.example.com/inside");
      expect(result).toMatchObject(notAllowed);
      expect(requested).toHaveLength(1);
    },
  );

  test("is rejected if it redirects from https to http, too often, or is of another scheme", async () => {
    handlers["/plainly"] = (_request, response) =>
      response.writeHead(302, { location: "http://images.example.com/fox.gif" }).end();
    for (const [url, count] of [
      ["https://images.example.com/plainly", 1],
      ["https://images.example.com/round", 4],
      ["https://images.example.com/odd", 1],
      ["ftp://images.example.com/a.png", 0],
      ["https://:80:80/", 0],
      ["https://user:password@images.example.com/a", 0],
    ] as const) {
      const { result, requested } = await resultOf(url);
      expect(result).toMatchObject(notAllowed);
      expect(requested).toHaveLength(count);
    }
  });

  test("is rejected with its status if its server returns no image", async () => {
    const error = await errorOf(from(`${origin}/gone?token=hush`, { allowPrivateHosts }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 404, operation: "fileFrom" });
    await expect(from(`${origin}/page`, { allowPrivateHosts })).rejects.toMatchObject({
      issues: [{ code: "invalid" }],
    });
  });

  test("is a connection error if the image does not arrive completely", async () => {
    const closed = createServer();
    await once(closed.listen(0, "127.0.0.1"), "listening");
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    for (const url of [`http://127.0.0.1:${port}/a.png`, `${origin}/cut`]) {
      await expect(from(url, { allowPrivateHosts })).rejects.toBeInstanceOf(ConnectionError);
    }
  });

  test("is cut off as soon as it is larger than it may be, or says so", async () => {
    for (const path of ["/endless", "/large"]) {
      const reading = from(origin + path, { allowPrivateHosts, maxBytes: 100_000 });
      await expect(reading).rejects.toBeInstanceOf(InvalidRequestError);
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });

  test("ends with the signal's reason, and with its connection", async () => {
    for (const path of ["/stuck", "/silent"]) {
      const controller = new AbortController();
      const reading = errorOf(from(origin + path, { allowPrivateHosts, signal: controller.signal }));
      await vi.waitFor(() => expect(requests.at(-1)?.url).toBe(path), 5_000);
      controller.abort("enough");
      expect(await reading).toBe("enough");
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });

  test("is shown without its password, query and fragment, whatever it fails of", async () => {
    const shown = (error: unknown) => [String(error), inspect(error, { depth: 9 }), JSON.stringify(error)].join("\n");
    const failing = (message: string) => async () => {
      throw new TypeError("fetch failed", { cause: new Error(message) });
    };
    const errors = await Promise.all(
      [
        from("http://10.0.0.1/a?token=hush#hush"),
        from("https://user:hush@x.test/a?token=hush"),
        from("https://:80:80/?token=hush"),
        from(`${origin}/gone?token=hush`, { allowPrivateHosts }),
        from(`${origin}/round?token=hush`, { allowPrivateHosts }),
        from(`${origin}/odd?token=hush`, { allowPrivateHosts }),
        from(`${origin}/cut?token=hush`, { allowPrivateHosts }),
        from(`${origin}/page?token=hush`, { allowPrivateHosts }),
        from("https://x.test/a?token=hush", { fetch: failing("GET https://user:hush@x.test/b?token=hush: reset") }),
      ].map(errorOf),
    );
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(shown(error)).not.toContain("hush");
    }
  });
});

test("a name that leads into a private network is rejected when Node looks it up for the connection", async () => {
  const found = [
    { address: "93.184.216.34", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  const lookUp = (_: string, __: object, callback: (error: null, addresses: object[]) => void) => callback(null, found);
  // The cast: it is called with all addresses only.
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(lookUp as unknown as typeof dns.lookup);
  try {
    await expect(fileFrom("http://images.example.com/1")).rejects.toMatchObject(notAllowed);
    expect(lookup).toHaveBeenCalledTimes(1);
  } finally {
    lookup.mockRestore();
  }
});

describe("behind a proxy of the environment, a name", () => {
  afterEach(() => vi.unstubAllEnvs());
  const lookUpAs = (error: Error | null, address: string) => {
    // The cast: it is called with all addresses only.
    const lookUp = ((name: string, __: object, callback: (error: Error | null, addresses: object[]) => void) =>
      name === "localhost"
        ? callback(null, [{ address: "127.0.0.1", family: 4 }])
        : callback(error, [{ address, family: 4 }])) as unknown as typeof dns.lookup;
    return vi.spyOn(dns, "lookup").mockImplementation(lookUp);
  };

  test.for<[string, Error | null, string, string, number]>([
    [
      "that this machine resolves to a private address is rejected",
      null,
      "10.0.0.1",
      "into a private network. Use a public URL",
      0,
    ],
    ["that this machine cannot resolve is the proxy's to decide", new Error("ENOTFOUND"), "", "HTTP status 403", 1],
    ["that resolves to a public address goes to the proxy", null, "93.184.216.34", "HTTP status 403", 1],
  ])("%s", async ([, error, address, says, connects]) => {
    await using proxy = await startProxy({ onConnect: (socket) => void socket.end("HTTP/1.1 403 No\r\n\r\n") });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const lookup = lookUpAs(error, address);
    try {
      await expect(fileFrom("http://images.example.com/1")).rejects.toThrow(says);
      expect(proxy.heads).toHaveLength(connects);
    } finally {
      lookup.mockRestore();
    }
  });
});
