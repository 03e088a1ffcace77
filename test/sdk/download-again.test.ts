import { spawn } from "node:child_process";
import { once } from "node:events";
import fsPromises, { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { download, type FetchInit, InvalidRequestError } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clientOf, errorOf, gate, success } from "./fake-service.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

const png = (end: string) => Buffer.from(`\x89PNG\r\n\x1a\n a picture that ends with ${end}`, "latin1");

/** A task whose results have these bytes; undefined is a result that is gone. */
function taskOf(results: readonly (Buffer | undefined)[], taskid = "t-1") {
  const requested: string[] = [];
  const fetch = async (url: string, { method }: FetchInit) => {
    if (method === "POST") return success({ taskid, url: results.map((_, index) => `http://localhost/${index}`) });
    requested.push(new URL(url).pathname);
    const bytes = results[Number(url.at(-1))];
    return bytes ? new Response(new Uint8Array(bytes)) : new Response("", { status: 410 });
  };
  return { task: clientOf([], { fetch }).media.image.task(taskid), requested };
}

test("a second run returns the same list, and leaves the files as they are", async () => {
  const results = [png("1"), png("2")];
  const first = await download(taskOf(results).task, folder);
  const before = await Promise.all(first.map(({ path }) => stat(path)));
  expect(await download(taskOf(results).task, folder)).toEqual(first);
  const after = await Promise.all(first.map(({ path }) => stat(path)));
  expect(after.map(({ ino, mtimeMs }) => [ino, mtimeMs])).toEqual(before.map(({ ino, mtimeMs }) => [ino, mtimeMs]));
  expect(await readdir(folder)).toEqual(["t-1-1.png", "t-1-2.png"]);
});

test("a run after one that failed downloads what is missing, and returns all of it", async () => {
  await expect(download(taskOf([png("1"), undefined]).task, folder)).rejects.toMatchObject({ status: 410 });
  expect(await readdir(folder)).toEqual(["t-1-1.png"]);
  const files = await download(taskOf([png("1"), png("2")]).task, folder);
  expect(files.map(({ path }) => path)).toEqual([join(folder, "t-1-1.png"), join(folder, "t-1-2.png")]);
});

test.for<[string, Buffer]>([
  ["of the same length", png("2")],
  ["that are fewer", png("")],
])("a file with other bytes %s is not replaced", async ([, other]) => {
  await writeFile(join(folder, "t-1-1.png"), other);
  const error = await errorOf(download(taskOf([png("1")]).task, folder));
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(await readFile(join(folder, "t-1-1.png"))).toEqual(other);
  expect(await readdir(folder)).toEqual(["t-1-1.png"]);
});

test("two downloads of one task into one directory at once both succeed", async () => {
  const results = [png("1"), png("2"), png("3")];
  const [one, other] = await Promise.all([
    download(taskOf(results).task, folder),
    download(taskOf(results).task, folder),
  ]);
  expect(one).toEqual(other);
  expect(await readdir(folder)).toEqual(["t-1-1.png", "t-1-2.png", "t-1-3.png"]);
});

test("and one of them fails if the bytes differ, which leaves the other's complete", async () => {
  const ended = await Promise.all([png("1"), png("2")].map((bytes) => errorOf(download(taskOf([bytes]).task, folder))));
  const failed = ended.filter((one) => one instanceof InvalidRequestError);
  expect(failed).toHaveLength(1);
  const winner = ended[0] === failed[0] ? png("2") : png("1");
  expect(await readFile(join(folder, "t-1-1.png"))).toEqual(winner);
});

test("a task's id or a name that is too long for a file is shortened, and stays another than its like", async () => {
  const names = ["a".repeat(300), `${"a".repeat(299)}b`];
  for (const taskid of names) await download(taskOf([png(taskid)], taskid).task, folder);
  for (const name of ["火".repeat(100), `${"火".repeat(99)}水`])
    await download(taskOf([png(name)]).task, folder, { name });
  const files = await readdir(folder);
  expect(files).toHaveLength(4);
  expect(files.filter((name) => /^(a{183}|火{61})-[0-9a-f]{16}-1\.png$/.test(name))).toHaveLength(4);
});

/** A service and its results on a real port, for other processes. The result's end is held back as long as the test wants. */
const held = { requests: gate(), responses: [] as ServerResponse[] };
const server = createServer((request, response) => {
  if (request.method === "POST") {
    const url = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/1`];
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url } }));
  }
  response.writeHead(200, { "content-length": png("1").length }).write(png("1").subarray(0, 20));
  held.requests.resolve();
  return held.responses.push(response);
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("a part file that a killed process left is removed by the next one, that of a living process is not", async () => {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = [resolve("test/sdk/processes/downloader.ts"), baseUrl, "t-1", folder];
  const start = async () => {
    held.requests = gate();
    const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    await held.requests.promise;
    return child;
  };
  const killed = await start();
  await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/^\.t-1-1\..*\.part$/)]);
  const [left] = await readdir(folder);
  killed.kill("SIGKILL");
  await once(killed, "close");
  // Another one has its id by now.
  const reused = join(folder, (left ?? "").replace(/\.\d+-/, `.${process.pid}-`));
  await writeFile(reused, "half");
  const before = new Date(Date.now() - 61 * 60_000);
  await utimes(reused, before, before);
  const living = await start();
  await expect.poll(() => readdir(folder)).toEqual([expect.not.stringMatching(left ?? "")]);
  await download(taskOf([png("1")], "t-2").task, folder);
  expect(await readdir(folder)).toHaveLength(2);
  const printed: Buffer[] = [];
  living.stdout.on("data", (text: Buffer) => void printed.push(text));
  held.responses.at(-1)?.end(png("1").subarray(20));
  await once(living, "close");
  expect(JSON.parse(Buffer.concat(printed).toString())).toMatchObject([{ path: join(folder, "t-1-1.png") }]);
  expect(await readdir(folder)).toEqual(["t-1-1.png", "t-2-1.png"]);
});

test("a part file of another machine is removed once nothing has written to it for an hour", async () => {
  const part = (machine: string) => join(folder, `.t-1-1.1-${machine}-00000000.part`);
  await writeFile(part("00000001"), "half");
  await writeFile(part("00000002"), "half");
  await writeFile(join(folder, ".mine.part"), "mine");
  const before = new Date(Date.now() - 61 * 60_000);
  await utimes(part("00000001"), before, before);
  await utimes(join(folder, ".mine.part"), before, before);
  await download(taskOf([png("1")]).task, folder);
  expect(await readdir(folder)).toEqual([".mine.part", ".t-1-1.1-00000002-00000000.part", "t-1-1.png"]);
});

test("without hard links, no file is overwritten either, and an empty one of a killed process is filled", async () => {
  const link = vi.spyOn(fsPromises, "link").mockRejectedValue(Object.assign(new Error("no links"), { code: "EPERM" }));
  syncBuiltinESMExports();
  try {
    const first = await download(taskOf([png("1")]).task, folder);
    expect(await download(taskOf([png("1")]).task, folder)).toEqual(first);
    await expect(download(taskOf([png("2")]).task, folder)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(await readFile(join(folder, "t-1-1.png"))).toEqual(png("1"));
    await writeFile(join(folder, "t-1-1.png"), "");
    expect(await download(taskOf([png("1")]).task, folder)).toEqual(first);
    expect(await readdir(folder)).toEqual(["t-1-1.png"]);
  } finally {
    link.mockRestore();
    syncBuiltinESMExports();
  }
});
