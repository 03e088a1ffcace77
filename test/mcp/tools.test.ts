import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator } from "@mediagen/emulator";
import { createMcpServerFactory, type McpServerFactoryOptions } from "@mediagen/mcp";
import { createMediaGen, listModels, memoryStore } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { showFiles } from "../../packages/mcp/src/results.ts";
import { connect, type Connected, eras, textOf } from "./connect.ts";

const fox = { model: "imgmodelz", prompt: "A fox", idempotencyKey: "fox-1" };
const taskidOf = ({ structuredContent }: { readonly structuredContent?: unknown }) =>
  String(Object(structuredContent)["taskid"]);

/** Calls a tool that must fail, and returns the text of its error. */
async function failureOf(host: Connected, tool: string, args: object): Promise<string> {
  const result = await host.call(tool, { ...args });
  expect(result.isError).toBe(true);
  return textOf(result);
}

describe("the list of tools", () => {
  test("has six, with schemas made from the table", async () => {
    await using host = await connect();
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name).join(" ")).toBe(
      "generate_video generate_image wait_for_task list_tasks delete_tasks list_models",
    );
    for (const kind of ["video", "image"]) {
      const { properties = {}, required } =
        tools.find(({ name }) => name === `generate_${kind}`)?.inputSchema ?? expect.fail(kind);
      const models = listModels().filter((one) => one.kind === kind);
      expect(properties["model"]).toEqual({ type: "string", enum: models.map(({ model }) => model) });
      const fields = models.flatMap((model) => model.form.fields.map(({ field }) => field));
      expect(Object.keys(properties)).toEqual(["model", "idempotencyKey", ...new Set(fields)]);
      expect(required).toEqual(["model", "idempotencyKey", ...(kind === "image" ? ["prompt"] : [])]);
    }
    // What a model reads in each conversation. Model APIs reject anyOf at the top of a schema.
    expect(JSON.stringify(tools).length).toBeLessThan(8_500);
    for (const { inputSchema, outputSchema } of tools) {
      expect([inputSchema["type"], outputSchema?.["type"]]).toEqual(["object", "object"]);
      expect([...Object.keys(inputSchema)]).not.toContain("anyOf");
    }
  });

  test("says what each may do", async () => {
    await using host = await connect();
    const { tools } = await host.client.listTools();
    const hints = tools.map(({ name, annotations: { readOnlyHint, destructiveHint, idempotentHint } = {} }) => [
      name,
      { readOnlyHint, destructiveHint, idempotentHint },
    ]);
    const repeatable = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
    expect(Object.fromEntries(hints)).toEqual({
      generate_video: repeatable,
      generate_image: repeatable,
      wait_for_task: repeatable,
      list_tasks: { readOnlyHint: true },
      list_models: { readOnlyHint: true },
      delete_tasks: { ...repeatable, destructiveHint: true },
    });
  });
});

describe.each(eras)("a client of the era %j", (era) => {
  test("generates, waits with progress, and gets files, links and previews", async () => {
    await using host = await connect({}, { era });
    const created = await host.call("generate_image", { ...fox, model: "imgmodelv4", batchsize: 2 });
    const taskid = taskidOf(created);
    expect(created.structuredContent).toEqual({ taskid, model: "imgmodelv4", state: "pending" });
    const progress: string[] = [];
    const waited = await host.client.callTool(
      { name: "wait_for_task", arguments: { taskid } },
      { onprogress: ({ message = "" }) => void progress.push(message) },
    );
    expect(progress).toContain("succeeded");
    const paths = [1, 2].map((number) => join(host.directory, "media.v1", `${taskid}-${number}.png`));
    expect(waited.structuredContent).toEqual({
      taskid,
      state: "succeeded",
      files: paths.map((path) => ({ path, type: "image/png", bytes: expect.any(Number) })),
    });
    const [text, ...shown] = waited.content;
    expect(JSON.parse(text?.type === "text" ? text.text : "")).toEqual(waited.structuredContent);
    expect(shown.map(({ type }) => type)).toEqual(["resource_link", "resource_link", "image", "image"]);
    expect(shown[0]).toMatchObject({ uri: pathToFileURL(paths[0] ?? "").href, annotations: { audience: ["user"] } });
    const bytes = await readFile(paths[1] ?? "");
    expect(shown[3]).toEqual({ type: "image", mimeType: "image/png", data: bytes.toString("base64") });
    expect(await host.call("wait_for_task", { taskid })).toEqual(waited);
  });

  test("asks the user once, and sends only what the user has accepted", async () => {
    await using host = await connect({}, { era, answer: "accept" });
    const created = await host.call("generate_image", fox);
    expect(created.isError).toBeFalsy();
    expect(host.questions).toEqual([
      'Generate with imgmodelz? It costs credits and cannot be undone.\nprompt: "A fox"',
    ]);
    expect(await host.call("generate_image", fox)).toEqual(created);
    expect(host.questions, "a task that exists costs nothing").toHaveLength(1);
    expect(host.emulator.charges).toHaveLength(1);
  });

  test("sends nothing if the user declines", async () => {
    await using host = await connect({}, { era, answer: "decline" });
    expect(await failureOf(host, "generate_image", fox)).toBe("The user declined. Nothing was sent or billed.");
    expect(host.emulator.calls).toEqual([]);
  });

  test('sends nothing if confirm is "required", and it cannot ask', async () => {
    await using host = await connect({ confirm: "required" }, { era });
    expect(await failureOf(host, "generate_image", fox)).toMatch(/cannot ask\. Nothing was sent/);
    expect(host.emulator.calls).toEqual([]);
  });
});

describe("a key is billed once", () => {
  test("however often a call is repeated, also at once and by another server", async () => {
    await using host = await connect();
    const calls = await Promise.all([1, 2, 3].map(() => host.call("generate_image", fox)));
    expect(new Set(calls.map(taskidOf)).size).toBe(1);
    const other = await host.call("generate_image", { ...fox, idempotencyKey: "fox-2" });
    expect(taskidOf(other)).not.toBe(taskidOf(calls[0] ?? {}));
    expect(host.emulator.charges).toHaveLength(2);
  });

  test("after a lost response, the model must tell the user", async () => {
    await using host = await connect();
    host.emulator.next({ fault: "resetAfter", on: "generate" });
    for (const _ of [1, 2])
      expect(await failureOf(host, "generate_image", fox)).toMatch(
        /may have been billed.* Tell the user, and do not generate it again, also not with another key\.$/,
      );
    expect(host.emulator.charges).toHaveLength(1);
    expect((await host.call("list_tasks")).structuredContent).toMatchObject({
      pending: [],
      unknown: [{ kind: "image", model: "imgmodelz", idempotencyKey: "fox-1" }],
    });
  });

  test.each(["a store with a damaged record", "an account without credits"])(
    "with %s, the model must tell the user",
    async (trouble) => {
      const damaged = () => Promise.reject(new SyntaxError("damaged"));
      const options = trouble.includes("store") ? { store: { ...memoryStore(), get: damaged } } : {};
      await using host = await connect(options, {}, { credits: 0 });
      expect(await failureOf(host, "generate_image", fox)).toMatch(/Tell the user/);
    },
  );
});

describe("nothing is sent", () => {
  test.for<[string, string, object, RegExp]>([
    ["a wrong field", "generate_image", { ...fox, batchsize: 2 }, /batchsize is not a known field/],
    ["a model of the other kind", "generate_video", fox, /model/],
  ])("for %s", async ([, tool, args, message]) => {
    await using host = await connect({}, { answer: "accept" });
    expect(await failureOf(host, tool, args)).toMatch(message);
    expect([host.questions, host.emulator.calls]).toEqual([[], []]);
  });

  test("beyond maxResults, and the user is not asked either", async () => {
    await using host = await connect({ maxResults: 3 }, { answer: "accept" });
    const four = { ...fox, model: "imgmodelv4" };
    expect((await host.call("generate_image", { ...four, batchsize: 2 })).isError).toBeFalsy();
    const more = { ...four, batchsize: 2, idempotencyKey: "fox-2" };
    expect(await failureOf(host, "generate_image", more)).toMatch(
      /requests 2 results, and maxResults leaves 1.*Tell the user/,
    );
    expect((await host.call("generate_image", { ...fox, idempotencyKey: "fox-3" })).isError).toBeFalsy();
    expect([host.questions.length, host.emulator.charges.length]).toEqual([2, 2]);
  });

  test("for 27 of 30 calls at once with maxResults: 3", async () => {
    await using host = await connect({ maxResults: 3, confirm: false });
    const call = (_: unknown, index: number) => host.call("generate_image", { ...fox, idempotencyKey: `fox-${index}` });
    const results = await Promise.all(Array.from({ length: 30 }, call));
    expect(results.filter(({ isError }) => isError)).toHaveLength(27);
    expect(host.emulator.charges).toHaveLength(3);
  });

  test("and what is rejected, declined or vetoed leaves the limit as it was", async () => {
    let vetoes = 1;
    const beforeGenerate = () => (vetoes-- > 0 ? Promise.reject(new Error("not now")) : undefined);
    await using host = await connect({ maxResults: 1, confirm: false, beforeGenerate });
    host.emulator.next({ fault: "failure", on: "generateImgmodelz" });
    for (const idempotencyKey of ["vetoed", "rejected"])
      expect((await host.call("generate_image", { ...fox, idempotencyKey })).isError).toBe(true);
    expect((await host.call("generate_image", fox)).isError).toBeFalsy();
    expect((await host.call("generate_image", fox)).isError).toBeFalsy();
    expect((await host.call("generate_image", { ...fox, idempotencyKey: "more" })).isError).toBe(true);
    expect(host.emulator.charges).toHaveLength(1);
  });

  test("and nobody is asked with confirm: false", async () => {
    await using host = await connect({ confirm: false }, { answer: "decline" });
    expect((await host.call("generate_image", fox)).isError).toBeFalsy();
    expect([host.questions, host.emulator.charges.length]).toEqual([[], 1]);
  });
});

describe("source images", () => {
  const clip = { model: "vidmodelv2", idempotencyKey: "clip-1" };

  test("are read from the output directory and from those that are allowed", async () => {
    const allow = join("/tmp", `mediagen-mcp-${process.pid}`);
    await mkdir(allow, { recursive: true });
    await using host = await connect({ allow: [allow] });
    const output = join(host.directory, "media.v1");
    await mkdir(output);
    for (const directory of [output, allow]) await writeFile(join(directory, "first.png"), "GIF89a");
    const sources = ["first.png", join(output, "first.png"), pathToFileURL(join(allow, "first.png")).href];
    for (const [index, path] of sources.entries()) {
      const args = { ...clip, sourceImage: [path], idempotencyKey: `clip-${index}` };
      expect(textOf(await host.call("generate_video", args))).toContain("pending");
    }
    expect(host.emulator.tasks.map(({ files }) => files.map(({ name }) => name))).toEqual(
      sources.map(() => ["first.png"]),
    );
  });

  test("elsewhere are rejected, also behind links", async () => {
    await using host = await connect();
    const output = join(host.directory, "media.v1");
    await mkdir(output);
    await writeFile(join(host.directory, "secret.png"), "GIF89a");
    await symlink(join(host.directory, "secret.png"), join(output, "link.png"));
    await symlink(host.directory, join(output, "up"));
    const outside = ["/etc/passwd", "file:///etc/passwd", "../secret.png", `${output}-other/first.png`];
    for (const path of [...outside, "link.png", "up/secret.png", output]) {
      expect(await failureOf(host, "generate_video", { ...clip, sourceImage: [path] }), path).toContain(
        `file in ${output}`,
      );
    }
    for (const path of ["https://example.com/first.png", "data:image/png;base64,AAAA", "none.png"]) {
      expect(await failureOf(host, "generate_video", { ...clip, sourceImage: [path] }), path).toContain("no such file");
    }
    expect(host.emulator.calls).toEqual([]);
  });
});

describe("a task", () => {
  test("that takes longer than a call may is pending, and is finished by a later call", async () => {
    await using host = await connect({ waitTimeoutMs: 3_000 });
    const taskid = taskidOf(await host.call("generate_image", { ...fox, prompt: "A fox #slow" }));
    expect((await host.call("list_tasks")).structuredContent).toEqual({
      pending: [{ taskid, kind: "image", model: "imgmodelz" }],
      unknown: [],
    });
    const wait = async () => (await host.call("wait_for_task", { taskid })).structuredContent;
    expect(await wait()).toEqual({ taskid, state: "pending" });
    await expect.poll(wait).toMatchObject({ state: "succeeded" });
  });

  test("that is unknown or has failed is an error that says what to do", async () => {
    await using host = await connect();
    expect(await failureOf(host, "wait_for_task", { taskid: "image-1" })).toContain(
      "that a generate tool has returned",
    );
    host.emulator.next({ fault: "taskFails" });
    const taskid = taskidOf(await host.call("generate_image", fox));
    expect(await failureOf(host, "wait_for_task", { taskid })).toContain("is billed again");
  });

  test("is deleted at the service after the user has accepted", async () => {
    await using host = await connect({}, { answer: "accept" });
    const taskid = taskidOf(await host.call("generate_image", fox));
    const args = { kind: "image", taskids: [taskid] };
    expect((await host.call("delete_tasks", args)).structuredContent).toEqual({ deleted: [taskid] });
    expect(host.questions[1]).toBe(`Delete these tasks (1) at the service? It cannot be undone.\n${taskid}`);
    expect(host.emulator.tasks).toEqual([]);
  });

  test("is not deleted if the user declines, or if another program has generated it", async () => {
    const store = memoryStore();
    const emulator = createEmulator();
    const media = createMediaGen({ ...emulator.client, store });
    const { taskid } = await media.image.generate("imgmodelz", { prompt: "A fox" });
    const other = await createMediaGen(emulator.client).image.generate("imgmodelz", { prompt: "A hare" });
    await using host = await connect({ ...emulator.client, store }, { answer: "decline" });
    const remove = async (kind: string, taskids: readonly string[]) =>
      textOf(await host.call("delete_tasks", { kind, taskids }));
    expect(await remove("image", [taskid])).toBe("The user declined. Nothing was sent or billed.");
    expect(await remove("image", [taskid, other.taskid])).toMatch(/^delete_tasks: taskid .* that a generate tool/);
    expect(await remove("video", [taskid])).toMatch(/^delete_tasks: taskid .* that a generate tool/);
    expect([host.questions.length, emulator.tasks.length]).toEqual([1, 2]);
  });
});

test.for<[Readonly<Record<string, unknown>>, RegExp]>([
  [{ allow: "/home/me" }, /allow must be a list of texts/],
  [{ allow: [""] }, /allow must be the path/],
  [{ output: "" }, /output/],
  [{ store: undefined }, /store must be a store/],
  [{ confirm: "requierd" }, /true, false or "required"/],
  [{ waitTimeoutMs: -1 }, /waitTimeoutMs/],
  [{ alow: [] }, /alow is not a known option/],
])("a factory with the options %j is rejected", ([options, message]) => {
  // The cast: a caller without types.
  const all = {
    ...createEmulator().client,
    store: memoryStore(),
    output: "out",
    ...options,
  } as McpServerFactoryOptions;
  expect(() => createMcpServerFactory(all)).toThrow(message);
});

test("list_models has the fields of every model, and what they take", async () => {
  await using host = await connect();
  const expected = listModels().map(({ model, kind, form: { fields } }) => {
    const texts = fields.map(({ field, expected, required }) => [field, expected + (required ? " (required)" : "")]);
    return { model, kind, fields: Object.fromEntries(texts) as object };
  });
  expect((await host.call("list_models")).structuredContent).toEqual({ models: expected });
});

test("images are shown up to 700 kB in total, because hosts reject larger results", async () => {
  await using host = await connect();
  const files = await Promise.all(
    [300_000, 300_000, 200_000].map(async (bytes, index) => {
      const path = join(host.directory, `${index}.png`);
      await writeFile(path, Buffer.alloc(bytes));
      return { path, bytes, type: "image/png", sha256: "" };
    }),
  );
  const shown = await showFiles([...files, { path: "/clip.mp4", bytes: 10, type: "video/mp4", sha256: "" }]);
  const kinds = shown.map((one) => (one.type === "image" ? one.data.length : one.type));
  expect(kinds).toEqual([...Array.from({ length: 4 }, () => "resource_link"), 400_000, 266_668]);
});

test("nothing of the log goes to stdout, which belongs to the protocol", async () => {
  // The test runner has replaced the console, which writes to stdout elsewhere.
  const stdout = [vi.spyOn(process.stdout, "write"), vi.spyOn(console, "log"), vi.spyOn(console, "info")];
  const stderr = vi.spyOn(console, "error").mockReturnValue();
  vi.stubEnv("MEDIAGEN_LOG", "1");
  try {
    await using host = await connect();
    await host.call("wait_for_task", { taskid: taskidOf(await host.call("generate_image", fox)) });
    await expect.poll(() => stderr.mock.calls.flat().join("\n")).toMatch(/"type":"generated"[^]*"type":"ended"/);
    for (const one of stdout) expect(one).not.toHaveBeenCalled();
  } finally {
    vi.restoreAllMocks();
  }
});
