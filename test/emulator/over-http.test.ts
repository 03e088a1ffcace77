import {
  createEmulator,
  faultEffects,
  listen,
  type EmulatorServer,
  type FaultName,
} from "@mediagen/emulator/node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { kinds } from "../contract/cases.ts";

const [, image] = kinds;
const queryPath = image?.query.path ?? "";
const formPath = image?.generate.get("imgmodelz")?.path ?? "";
const taskid = "image-a087ea00b349";

const key = { authorization: "emulator-key" };
const json = { ...key, "content-type": "application/json" };
const post = (body: BodyInit, headers: HeadersInit = json): RequestInit => ({
  method: "POST",
  headers,
  body,
});
const multipart = { ...key, "content-type": "multipart/form-data; boundary=b" };
const part = (text: string) => `--b\r\nContent-Disposition: form-data; ${text}\r\n\r\nA fox\r\n`;
const query = post(JSON.stringify({ taskid }));
const result = `/_emulator/results/${taskid}/1.png?until=9999999999999`;

const options = { clock: "manual", limits: { body: 10_000 } } as const;
const inProcess = createEmulator(options);
const behindPort = createEmulator(options);
let server: EmulatorServer;
beforeAll(async () => void (server = await listen(behindPort)));
afterAll(() => server.close());

/**
 * Headers of the connection, not of the response. The length of a body is compared with the body.
 */
const ofTheConnection = new Set([
  "connection",
  "keep-alive",
  "date",
  "transfer-encoding",
  "content-length",
]);

/**
 * Sends the request to an emulator that has one finished task, in process or over HTTP, and returns
 * all that one sees.
 */
async function seen(
  isOverHttp: boolean,
  path: string,
  init: RequestInit,
  fault?: FaultName,
): Promise<unknown> {
  const emulator = isOverHttp ? behindPort : inProcess;
  const [send, baseUrl] = isOverHttp
    ? [fetch, server.baseUrl]
    : [emulator.fetch, emulator.client.baseUrl];
  emulator.reset();
  await send(baseUrl + formPath, post(`${part("name=prompt")}--b--`, multipart));
  emulator.clock.advance("1h");
  if (fault) emulator.next({ fault, ...(path === result ? { on: "download" } : {}) });
  const caller = new AbortController();
  const hangs = () => emulator.calls.at(-1)?.fault === "hang";
  if (fault === "hang")
    void vi.waitUntil(hangs, { interval: 2, timeout: 30_000 }).then(() => caller.abort());
  const response = await send(baseUrl + path, {
    redirect: "manual",
    signal: caller.signal,
    ...init,
  }).catch((error: Error) => error);
  const { calls } = emulator;
  if (response instanceof Error)
    return { error: response.name, calls, snapshot: emulator.snapshot() };
  const headers = [...response.headers].filter(([name]) => !ofTheConnection.has(name));
  const body = await response.text().catch(() => "broken");
  return {
    status: response.status,
    headers,
    body: body.replaceAll(baseUrl, "(base URL)"),
    calls,
    snapshot: emulator.snapshot(),
  };
}

const cases: readonly (readonly [string, string, RequestInit])[] = [
  ["a form", formPath, post(`preamble\r\n${part('name="prompt"')}--b--`, multipart)],
  ["a form without an end", formPath, post(part("name=prompt"), multipart)],
  ["no body", formPath, { method: "POST", headers: multipart }],
  ["a query", queryPath, query],
  ["JSON that is none", queryPath, post('{"taskid":')],
  ["a body beyond the limit", queryPath, post(JSON.stringify({ taskid: "x".repeat(20_000) }))],
  ["a wrong key", queryPath, { ...query, headers: { ...json, authorization: "another-key" } }],
  ["more slashes in front", `//${queryPath}`, query],
  ["GET", queryPath, { headers: json }],
  ["HEAD", queryPath, { headers: json, method: "HEAD" }],
  ["a preflight", queryPath, { method: "OPTIONS", headers: { origin: "https://app.example" } }],
  ["a result", result, {}],
  ["the page without its slash", "/_emulator", {}],
  ["the head of a result", result, { method: "HEAD" }],
  ["a range of a result", result, { headers: { range: "bytes=10-19" } }],
  ["a result that is known", result, { headers: { "if-none-match": "*" } }],
  ["an expired result", result.replace("=9", "=0"), {}],
  ["a result that is none", result.replace("1.png", "2.png"), {}],
  ["the base URL in a browser", "/", {}],
  ["the health", "/_emulator/health", {}],
  ["the page", "/_emulator/", {}],
  ["the state", "/_emulator/state", {}],
  ["credits", "/_emulator/credits", post('{"credits":5}')],
  [
    "steering by a form of a page",
    "/_emulator/reset",
    { method: "POST", body: new URLSearchParams("a=b") },
  ],
  ["steering beyond the limit", "/_emulator/restore", post("x".repeat(20_000))],
];

test.for(cases)("%s gets the same response in process and over HTTP", async ([, path, init]) => {
  const [one, other] = await Promise.all([seen(false, path, init), seen(true, path, init)]);
  expect(other).toEqual(one);
  expect(one).toHaveProperty("status");
});

// The cast: Object.keys forgets which keys there are.
const faults = Object.keys(faultEffects) as FaultName[];
const targets: Readonly<Partial<Record<FaultName, readonly [string, RequestInit]>>> = {
  taskFails: [formPath, post(`${part("name=prompt")}--b--`, multipart)],
  linkExpired: [result, {}],
  downloadCut: [result, {}],
};

test.for(faults)("%s comes to the same in process and over HTTP", async (fault) => {
  const [path, init] = targets[fault] ?? [queryPath, query];
  const [one, other] = await Promise.all([
    seen(false, path, init, fault),
    seen(true, path, init, fault),
  ]);
  expect(other).toEqual(one);
  expect(one).toMatchObject({ calls: [{}, { fault }] });
});
