import { request } from "node:http";
import { createEmulator, listen, type ClockMode, type Emulator, type Snapshot } from "@mediagen/emulator/node";
import { createMediaGen } from "@mediagen/sdk";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../contract/cases.ts";

const emulator = createEmulator({ clock: "manual" });
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => void (server = await listen(emulator)));
afterAll(() => server.close());

/** The status of a request whose path and headers go out as they are. */
function statusOf(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const { port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path, headers, setHost: !("Host" in headers) }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on("error", reject).end();
  });
}

describe("behind a port", () => {
  test.for([
    ["a page of another name", "/_emulator/state", { Host: "evil.example" }, 400],
    ["a name that begins like an address of this machine", "/_emulator/state", { Host: "127.evil.example" }, 400],
    ["a name that begins with one", "/_emulator/state", { Host: "127.0.0.1.evil.example" }, 400],
    ["a name that looks like this machine's", "/_emulator/state", { Host: "localhost.evil.example" }, 400],
    [
      "another name that says it is this machine",
      "/_emulator/state",
      { Host: "evil.example", "X-Forwarded-Host": "localhost" },
      400,
    ],
    ["another name behind a proxy", "/_emulator/state", { Host: "localhost", "X-Forwarded-Host": "evil.example" }, 400],
    ["another name as the target", "http://evil.example/_emulator/state", { Host: "localhost" }, 400],
    ["another name before a user's", "/_emulator/state", { Host: "evil.example@localhost" }, 400],
    ["another name for results, which any page may read", "/_emulator/results/t/1.png", { Host: "media.example" }, 404],
    ["an address of another machine, which no DNS leads here", "/_emulator/state", { Host: "192.0.2.1:80" }, 200],
    ["an address of IP version 6", "/_emulator/state", { Host: "[::1]:80" }, 200],
    ["the root's name of this machine", "/_emulator/state", { Host: "x.localhost." }, 200],
    ["a name that is none", "/v1/video/infobytaskid", { Host: "a b" }, 400],
    ["two slashes, which name no host", "//evil.example/_emulator/state", {}, 404],
    ["a way out of the results", "/_emulator/results/../../../etc/passwd", {}, 404],
    ["the same, encoded", "/_emulator/results/%2e%2e%2f%2e%2e%2fetc/passwd/1.png", {}, 404],
    ["this machine by its name", "/_emulator/state", { Host: "localhost" }, 200],
  ] as const)("%s", async ([, path, headers, status]) => {
    expect(await statusOf(path, headers)).toBe(status);
  });

  test("a base URL that ends in slashes is understood", async () => {
    const { apiKey } = emulator.client;
    const media = createMediaGen({ baseUrl: `${server.baseUrl}//`, apiKey });
    expect((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid).toMatch(/^image-/);
  });

  test("a page of another origin may ask for the rest of a result and carry the key, and may not steer", async () => {
    const ask = (path: string) =>
      fetch(server.baseUrl + path, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    for (const path of ["/_emulator/results/t/1.png", "/v1/video/infobytaskid"]) {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(answer.headers.get("access-control-allow-headers")).toMatch(/authorization.*range/);
    }
    expect((await ask("/_emulator/reset")).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("what cannot be is refused, and changes nothing", () => {
  test("what is wrong in a snapshot shows when it is restored, not in later calls", async () => {
    const source = createEmulator();
    const { client } = source;
    const files = [
      await generate(source, "imgmodelz", { resolution: "64*64" }),
      await generate(source, "vidmodelv2", { resolution: "480p" }),
    ];
    const saved = JSON.stringify(source.snapshot());
    const places = placesIn(JSON.parse(saved));
    const odd = fc.constantFrom(
      null,
      -1,
      0,
      1.5,
      1e300,
      8.64e15,
      2 ** 53,
      "",
      "x",
      "../..",
      true,
      [],
      {},
      [null],
      undefined,
    );
    let restored = 0;
    const property = fc.asyncProperty(fc.constantFrom(...places), odd, async (place, value) => {
      const snapshot = JSON.parse(saved) as Snapshot;
      const parent = place
        .slice(0, -1)
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], snapshot);
      (parent as Record<string, unknown>)[place.at(-1) ?? ""] = value;
      const one = createEmulator();
      const before = JSON.stringify(one.snapshot());
      try {
        one.restore(snapshot);
      } catch (error) {
        expect(String(error)).toContain("not a snapshot");
        expect(JSON.stringify(one.snapshot())).toBe(before);
        return;
      }
      restored++;
      const headers = { authorization: client.apiKey, "content-type": "application/json" };
      const call = (path: string, body: object) =>
        one.fetch(client.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
      const taskids = one.tasks.map(({ taskid }) => taskid);
      for (const { query } of kinds) for (const taskid of taskids) await call(query.path, { taskid });
      for (const url of [...files, `${client.baseUrl}/_emulator/state`]) await one.fetch(url);
      for (const kind of kinds) await call(kind.delete.path, { taskids });
    });
    await fc.assert(property, { seed: 20_261_122, numRuns: 150 });
    expect(restored).toBeGreaterThan(20);
  });

  test.for<[string, (snapshot: Snapshot) => unknown]>([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a text", () => ""],
    ["nothing", () => ({})],
    ["another version", (one) => ({ ...one, version: 2 })],
    ["a task that is none", (one) => ({ ...one, credits: 1, tasks: [null] })],
    ["a task without a plan", (one) => ({ ...one, credits: 1, tasks: [{ taskid: "t" }] })],
    ["charges that are no list", (one) => ({ ...one, credits: 1, charges: {} })],
    ["a charge that is none", (one) => ({ ...one, credits: 1, charges: [{}] })],
  ])("a snapshot with %s", ([, spoil]) => {
    const one = createEmulator();
    const before = one.snapshot();
    expect(() => one.restore(spoil(one.snapshot()) as Snapshot)).toThrow("this is not a snapshot");
    expect(one.snapshot()).toEqual(before);
  });

  test.for([Number.NaN, -1, "5", null])("credits of %j", (credits) => {
    const one = createEmulator();
    expect(() => createEmulator({ credits: credits as number })).toThrow("credits");
    expect(() => void (one.credits = credits as number)).toThrow("credits");
    expect(one.credits).toBe(1_000_000_000);
  });

  test.for(["fast", { speed: 0 }, { speed: -1 }, { speed: Infinity }])("a clock that is %j", (clock) => {
    expect(() => createEmulator({ clock: clock as ClockMode })).toThrow(RangeError);
  });

  test("a setting that is undefined leaves the default", async () => {
    const {
      client,
      charges: _,
      ...one
    } = createEmulator({ behaviour: { creditsPerImage: undefined as unknown as number } });
    await createMediaGen(client).image.generate("imgmodelz", { prompt: "A fox" });
    expect(one.snapshot().credits).toBe(1_000_000_000 - 5);
  });
});

/** Generates with an emulator, and returns the URL of the result. */
async function generate({ client }: Emulator, model: string, form: object): Promise<string> {
  const task = await createMediaGen(client).generate(model, { prompt: "A fox", ...form });
  return (await task.wait()).url[0] ?? "";
}

/** Returns the path of every value in a JSON object. */
function placesIn(node: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof node === "object" && node !== null ? Object.entries(node) : [];
  return [...(path.length > 0 ? [path] : []), ...inner.flatMap(([key, value]) => placesIn(value, [...path, key]))];
}
