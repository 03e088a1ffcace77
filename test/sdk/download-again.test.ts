import fsPromises, { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { download, type FetchInit, InvalidRequestError } from "@mediagen/sdk/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientOf, errorOf, success } from "./fake-service.ts";

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

test("a task's id that is too long for a file is replaced by its digest, and such a name is rejected", async () => {
  const ids = ["a".repeat(300), `${"a".repeat(299)}b`];
  for (const taskid of ids) await download(taskOf([png(taskid)], taskid).task, folder);
  const files = await readdir(folder);
  expect(files.filter((name) => /^[0-9a-f]{64}-1\.png$/.test(name))).toHaveLength(2);
  const error = await errorOf(download(taskOf([png("1")]).task, folder, { name: "火".repeat(67) }));
  expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "name" }] });
  expect(await readdir(folder)).toEqual(files);
});

test("a part file is removed once nothing has written to it for an hour, and no other file is", async () => {
  const part = (id: string) => join(folder, `.00000000-0000-4000-8000-00000000000${id}.part`);
  const before = new Date(Date.now() - 61 * 60_000);
  for (const path of [part("1"), part("2"), join(folder, ".mine.part")]) await writeFile(path, "half");
  for (const path of [part("1"), join(folder, ".mine.part")]) await utimes(path, before, before);
  await download(taskOf([png("1")]).task, folder);
  expect(await readdir(folder)).toEqual([basename(part("2")), ".mine.part", "t-1-1.png"]);
});

test("without hard links, no file is overwritten either", async () => {
  const link = vi.spyOn(fsPromises, "link").mockRejectedValue(Object.assign(new Error("no links"), { code: "EPERM" }));
  syncBuiltinESMExports();
  try {
    const first = await download(taskOf([png("1")]).task, folder);
    expect(await download(taskOf([png("1")]).task, folder)).toEqual(first);
    await expect(download(taskOf([png("2")]).task, folder)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(await readFile(join(folder, "t-1-1.png"))).toEqual(png("1"));
    expect(await readdir(folder)).toEqual(["t-1-1.png"]);
  } finally {
    link.mockRestore();
    syncBuiltinESMExports();
  }
});
