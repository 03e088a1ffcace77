import dns from "node:dns";
import { type FetchInit, fileFrom as plainFileFrom, InvalidRequestError } from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import { errorOf } from "./fake-service.ts";
import { startProxy } from "./proxy-server.ts";
import { type Handler, serveResults } from "./result-server.ts";

const gif = Buffer.from("GIF89a and the rest");
const redirect =
  (location: string): Handler =>
  (_, response) =>
    response.writeHead(302, { location }).end();
const { requests, origin } = serveResults({
  "/fox.gif": (_, response) => response.setHeader("content-type", "text/plain").end(gif),
  "/page": (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end("<html>Sign in"),
  "/gone": (_, response) => response.writeHead(404).end("not here"),
  "/once": redirect("/fox.gif?token=hush"),
  "/round": redirect("/round?token=hush"),
  "/odd": redirect("file:///etc/passwd?token=hush"),
  "/cut": (_, response) =>
    response.setHeader("content-length", 100).write(gif, () => setTimeout(() => response.destroy(), 20)),
  "/stuck": (_, response) => response.write(gif),
  "/silent": () => undefined,
  "/large": (_, response) => response.setHeader("content-length", 10 ** 9).write(gif),
  "/endless": (_, response) => {
    const write = () => void (!response.destroyed && response.write(Buffer.alloc(65_536), () => setImmediate(write)));
    response.write(gif, write);
  },
});
const allowPrivateHosts = true;
const message = expect.stringMatching(/ leads | redirects | is not an absolute URL/) as string;
const notAllowed = { name: "InvalidRequestError", issues: [{ code: "invalid", message }] };

/** Looks up every name as these addresses, or as none. */
function lookUp(...addresses: readonly string[]) {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const look = (name: string, _: object, callback: (error: Error | null, addresses: object[]) => void) =>
    name === "localhost"
      ? callback(null, [{ address: "127.0.0.1", family: 4 }])
      : callback(found.length > 0 ? null : new Error("ENOTFOUND"), found);
  // The cast: it is called with all addresses only.
  return vi.spyOn(dns, "lookup").mockImplementation(look as unknown as typeof dns.lookup);
}
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe.each([
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const)("a URL passed to fileFrom of %s", (_, from) => {
  test("is requested without a key, and its image is typed by its bytes and named by the URL", async () => {
    for (const url of [`${origin()}/fox.gif?size=2`, new URL(`${origin()}/fox.gif`), `${origin()}/once`]) {
      const name = String(url).endsWith("/once") ? "file.gif" : "fox.gif";
      expect(await from(url, { allowPrivateHosts })).toMatchObject({ name, type: "image/gif", size: gif.length });
    }
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        "user-agent": expect.stringMatching(/^mediagen\//),
        "accept-encoding": "identity",
      });
      expect(headers).not.toHaveProperty("authorization");
    }
  });

  test.for<[string, number]>([
    ["http://10.1.2.3/1", 0],
    ["http://localhost/1", 0],
    ["ftp://images.example.com/a.png", 0],
    ["https://:80:80/", 0],
    ["https://user:password@images.example.com/a", 0],
    ["http://images.example.com/to?http://10.1.2.3/1", 1],
    ["https://images.example.com/to?http://images.example.com/fox.gif", 1],
    ["https://images.example.com/to?ftp://x.test/a", 1],
    ["https://images.example.com/to?https://[", 1],
    ["https://images.example.com/round", 4],
  ])("is rejected if it is, or redirects to, one that is not public or not allowed: %s", async ([url, count]) => {
    const requested: string[] = [];
    const fetch = async (one: string) => {
      requested.push(one);
      const { pathname, search } = new URL(one);
      if (pathname === "/to") return new Response(null, { status: 302, headers: { location: search.slice(1) } });
      return globalThis.fetch(`${origin()}${pathname}`, { redirect: "manual" });
    };
    expect(await errorOf(from(url, { fetch }))).toMatchObject(notAllowed);
    expect(requested).toHaveLength(count);
    // Also by the entry point's own way to request it.
    if (count === 0) expect(await errorOf(from(url))).toMatchObject(notAllowed);
  });

  test.for<[string, object]>([
    ["/gone?token=hush", { name: "ServiceError", status: 404, operation: "fileFrom" }],
    ["/page?token=hush", { name: "InvalidRequestError", issues: [{ code: "invalid" }] }],
    ["/cut?token=hush", { name: "ConnectionError" }],
    ["/round?token=hush", notAllowed],
    ["/odd?token=hush", notAllowed],
    ["http://127.0.0.1:1/a.png?token=hush", { name: "ConnectionError" }],
    ["https://user:hush@x.test/a?token=hush#hush", notAllowed],
    ["https://:80:80/?token=hush", notAllowed],
  ])("that gives no image is shown without its password, query and fragment: %s", async ([url, expected]) => {
    const error = await errorOf(from(url.startsWith("/") ? origin() + url : url, { allowPrivateHosts }));
    expect(error).toMatchObject(expected);
    expect(shown(error)).not.toContain("hush");
  });

  test("is not shown either by the error of a fetch function", async () => {
    const cause = new Error("GET https://user:hush@x.test/b?token=hush: reset");
    const fetch = (_: string, __: FetchInit) => Promise.reject(new TypeError("fetch failed", { cause }));
    expect(shown(await errorOf(from("https://x.test/a?token=hush", { fetch })))).not.toContain("hush");
  });

  test("is cut off as soon as it is larger than it may be, or says so", async () => {
    for (const path of ["/endless", "/large"]) {
      const reading = from(origin() + path, { allowPrivateHosts, maxBytes: 100_000 });
      expect(await errorOf(reading)).toBeInstanceOf(InvalidRequestError);
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });

  test("ends with the signal's reason, and with its connection", async () => {
    for (const path of ["/stuck", "/silent"]) {
      const controller = new AbortController();
      const reading = errorOf(from(origin() + path, { allowPrivateHosts, signal: controller.signal }));
      await vi.waitFor(() => expect(requests.at(-1)?.url).toBe(path), 5_000);
      controller.abort("enough");
      expect(await reading).toBe("enough");
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });
});

test("a name that leads into a private network is rejected when Node looks it up for the connection", async () => {
  const lookup = lookUp("93.184.216.34", "10.0.0.1");
  expect(await errorOf(fileFrom("http://images.example.com/1"))).toMatchObject(notAllowed);
  expect(lookup).toHaveBeenCalledTimes(1);
});

test.for<[string, readonly string[], string, number]>([
  ["resolves to a private address is rejected", ["10.0.0.1"], "into a private network. Use a public URL", 0],
  ["cannot resolve is requested by the proxy", [], "HTTP status 403", 1],
  ["resolves to a public address is requested by the proxy", ["93.184.216.34"], "HTTP status 403", 1],
])("behind a proxy of the environment, a name that this machine %s", async ([, addresses, says, connects]) => {
  await using proxy = await startProxy({ onConnect: (socket) => void socket.end("HTTP/1.1 403 No\r\n\r\n") });
  vi.stubEnv("HTTP_PROXY", proxy.url);
  lookUp(...addresses);
  await expect(fileFrom("http://images.example.com/1")).rejects.toThrow(says);
  expect(proxy.targets).toHaveLength(connects);
});
