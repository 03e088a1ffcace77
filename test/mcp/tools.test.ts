import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator } from "@mediagen/emulator";
import { createMcpServerFactory, type McpServerFactoryOptions } from "@mediagen/mcp";
import { createMediaGen, fieldsOf, listModels, memoryStore } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
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

test("the list of tools has six, with schemas made from the table, and says what each may do", async () => {
  await using host = await connect();
  const { tools } = await host.client.listTools();
  const repeatable = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
  expect(
    Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations])),
  ).toMatchObject({
    generate_video: repeatable,
    generate_image: repeatable,
    wait_for_task: repeatable,
    list_tasks: { readOnlyHint: true },
    list_models: { readOnlyHint: true },
    delete_tasks: { ...repeatable, destructiveHint: true },
  });
  for (const kind of ["video", "image"]) {
    const { properties = {}, required } =
      tools.find(({ name }) => name === `generate_${kind}`)?.inputSchema ?? {};
    const models = listModels().flatMap((one) => (one.kind === kind ? one.model : []));
    expect(properties["model"]).toEqual({ type: "string", enum: models });
    const fields = new Set(models.flatMap((model) => fieldsOf(model).map(({ field }) => field)));
    expect(Object.keys(properties)).toEqual(["model", "idempotencyKey", ...fields]);
    const isNeeded = (name: string) =>
      models.every((model) =>
        fieldsOf(model).some(({ field, required }) => field === name && required),
      );
    expect(required).toEqual(["model", "idempotencyKey", ...[...fields].filter(isNeeded)]);
  }
  // What a model reads in each conversation. Model APIs reject anyOf at the top of a schema.
  expect(JSON.stringify(tools).length).toBeLessThan(1_250 * listModels().length);
  for (const { inputSchema, outputSchema } of tools) {
    expect([inputSchema["type"], outputSchema?.["type"]]).toEqual(["object", "object"]);
    expect(Object.keys(inputSchema)).not.toContain("anyOf");
  }
});

describe.each(eras)("a client of the era %j", (era) => {
  test("generates, waits with progress, and gets files, links and previews", async () => {
    await using host = await connect({}, { era });
    const created = await host.call("generate_image", {
      ...fox,
      model: "imgmodelv4",
      batchsize: 2,
    });
    const taskid = taskidOf(created);
    expect(created.structuredContent).toEqual({ taskid, model: "imgmodelv4", state: "pending" });
    const progress: string[] = [];
    const onprogress = ({ message = "" }) => void progress.push(message);
    const wait = { name: "wait_for_task", arguments: { taskid } };
    const waited = await host.client.callTool(wait, { onprogress });
    expect(progress).toContain("succeeded");
    const paths = [1, 2].map((number) =>
      join(host.directory, "media.v1", `${taskid}-${number}.png`),
    );
    const files = paths.map((path) => ({ path, type: "image/png", bytes: expect.any(Number) }));
    expect(waited.structuredContent).toEqual({ taskid, state: "succeeded", files });
    const [text, ...shown] = waited.content;
    expect(JSON.parse(text?.type === "text" ? text.text : "")).toEqual(waited.structuredContent);
    expect(shown.map(({ type }) => type)).toEqual([
      "resource_link",
      "resource_link",
      "image",
      "image",
    ]);
    expect(shown[0]).toMatchObject({
      uri: pathToFileURL(paths[0] ?? "").href,
      annotations: { audience: ["user"] },
    });
    const data = (await readFile(paths[1] ?? "")).toString("base64");
    expect(shown[3]).toEqual({ type: "image", mimeType: "image/png", data });
    expect(await host.call("wait_for_task", { taskid })).toEqual(waited);
  });

  test("asks the user once, and sends only what the user has accepted", async () => {
    await using host = await connect({}, { era, answer: "accept" });
    const created = await host.call("generate_image", fox);
    expect(created.isError).toBeFalsy();
    const question =
      'Generate with imgmodelz? It costs credits and cannot be undone.\nprompt: "A fox"';
    expect(host.questions).toEqual([question]);
    expect(await host.call("generate_image", fox)).toEqual(created);
    expect(
      [host.questions.length, host.emulator.charges.length],
      "a task that exists costs nothing",
    ).toEqual([1, 1]);
  });

  test.each(["decline", "cancel"] as const)(
    "sends nothing if the user answers %j",
    async (answer) => {
      await using host = await connect({}, { era, answer });
      expect(await failureOf(host, "generate_image", fox)).toBe(
        "The user declined. Nothing was sent or billed.",
      );
      expect(host.emulator.calls).toEqual([]);
    },
  );

  test("that gives up while a generation is sent gets its task with the same key", async () => {
    await using host = await connect({}, { era });
    host.emulator.next({ fault: "slowBody", on: "generate" });
    const controller = new AbortController();
    const given = { name: "generate_image", arguments: fox };
    const call = host.client
      .callTool(given, { signal: controller.signal })
      .catch((error: unknown) => error);
    await expect.poll(() => host.emulator.charges.length).toBe(1);
    controller.abort(new Error("enough"));
    await call;
    expect(taskidOf(await host.call("generate_image", fox))).toBe(host.emulator.charges[0]?.taskid);
    expect(host.emulator.charges).toHaveLength(1);
  });
});

describe("the model must tell the user", () => {
  test("after a lost response, and what to run, and a repeated call sends nothing", async () => {
    await using host = await connect({ maxResults: 1 });
    host.emulator.next({ fault: "resetAfter", on: "generate" });
    const says =
      /may have been billed.* npx @mediagen\/cli recover --resolve [\da-f]+ --attempt [\da-f-]+ --taskid .* Tell the user, and do not generate it again, also not with another key\.$/;
    for (const _ of [1, 2]) {
      const text = await failureOf(host, "generate_image", fox);
      expect([text, text.includes("media.resolve")]).toEqual([expect.stringMatching(says), false]);
    }
    expect(host.emulator.charges).toHaveLength(1);
    const unknown = [{ kind: "image", model: "imgmodelz", idempotencyKey: "fox-1" }];
    expect((await host.call("list_tasks")).structuredContent).toMatchObject({
      pending: [],
      unknown,
    });
    const other =
      "The idempotency key was first used with another form. Tell the user, and do not generate";
    expect(await failureOf(host, "generate_image", { ...fox, prompt: "A cat" })).toContain(other);
    // It may have been billed, so it counts.
    expect(await failureOf(host, "generate_image", { ...fox, idempotencyKey: "fox-2" })).toContain(
      "left: 0",
    );
  });

  test.each(["a store with a damaged entry", "an account without credits"])(
    "with %s",
    async (trouble) => {
      const damaged = () => Promise.reject(new SyntaxError("damaged"));
      const options = trouble.includes("store")
        ? { store: { ...memoryStore(), get: damaged } }
        : {};
      await using host = await connect(options, {}, { credits: 0 });
      expect(await failureOf(host, "generate_image", fox)).toMatch(/Tell the user/);
    },
  );
});

describe("nothing is sent", () => {
  test("for a wrong field, or a model of the other kind", async () => {
    await using host = await connect({}, { answer: "accept" });
    expect(await failureOf(host, "generate_image", { ...fox, batchsize: 2 })).toMatch(
      /batchsize is not a known field/,
    );
    expect(await failureOf(host, "generate_video", fox)).toMatch(/model/);
    expect([host.questions, host.emulator.calls]).toEqual([[], []]);
  });

  test("beyond maxResults, and the user is not asked either", async () => {
    await using host = await connect({ maxResults: 3 }, { answer: "accept" });
    const two = { ...fox, model: "imgmodelv4", batchsize: 2 };
    expect((await host.call("generate_image", two)).isError).toBeFalsy();
    const says =
      /--max-results sets \(requested: 2, left: 1\)\. Nothing was sent or billed\. Tell the user/;
    expect(await failureOf(host, "generate_image", { ...two, idempotencyKey: "fox-2" })).toMatch(
      says,
    );
    expect(
      (await host.call("generate_image", { ...fox, idempotencyKey: "fox-3" })).isError,
    ).toBeFalsy();
    expect([host.questions.length, host.emulator.charges.length]).toEqual([2, 2]);
  });

  test("for 27 of 30 calls at once with maxResults: 3", async () => {
    await using host = await connect({ maxResults: 3, confirm: false });
    const call = (_: unknown, index: number) =>
      host.call("generate_image", { ...fox, idempotencyKey: `fox-${index}` });
    const results = await Promise.all(Array.from({ length: 30 }, call));
    expect(results.filter(({ isError }) => isError)).toHaveLength(27);
    expect(host.emulator.charges).toHaveLength(3);
  });

  test("and what is rejected or vetoed leaves the limit as it was", async () => {
    let vetoes = 1;
    const beforeGenerate = () => (vetoes-- > 0 ? Promise.reject(new Error("not now")) : undefined);
    await using host = await connect({ maxResults: 1, confirm: false, beforeGenerate });
    host.emulator.next({ fault: "failure", on: "generateImgmodelz" });
    const isErrorOf = async (idempotencyKey: string) =>
      (await host.call("generate_image", { ...fox, idempotencyKey })).isError ?? false;
    for (const key of ["vetoed", "rejected"]) expect(await isErrorOf(key)).toBe(true);
    expect([await isErrorOf("fox"), await isErrorOf("fox"), await isErrorOf("more")]).toEqual([
      false,
      false,
      true,
    ]);
    expect(host.emulator.charges).toHaveLength(1);
  });
});

test("source images are read from the output directory and those that are allowed, and from nowhere else", async () => {
  const allow = await realpath(await temporaryDirectory());
  await using host = await connect({ allow: [allow] });
  const output = join(host.directory, "media.v1");
  await mkdir(output);
  for (const path of [
    join(output, "first.png"),
    join(allow, "first.png"),
    join(host.directory, "secret.png"),
  ])
    await writeFile(path, "GIF89a");
  await symlink(join(host.directory, "secret.png"), join(output, "link.png"));
  await symlink(host.directory, join(output, "up"));
  const generate = async (path: string) =>
    textOf(
      await host.call("generate_video", {
        model: "vidmodelv2",
        idempotencyKey: path,
        sourceImage: [path],
      }),
    );
  const outside = [
    "/etc/passwd",
    "file:///etc/passwd",
    "../secret.png",
    `${output}-other/first.png`,
  ];
  for (const path of [...outside, "link.png", "up/secret.png", output])
    expect(await generate(path), path).toContain(`file in ${output} or ${allow}`);
  for (const path of ["https://example.com/first.png", "data:image/png;base64,AAAA", "none.png"])
    expect(await generate(path), path).toContain("no such file");
  expect(host.emulator.calls).toEqual([]);
  const sources = [
    "first.png",
    join(output, "first.png"),
    pathToFileURL(join(allow, "first.png")).href,
  ];
  for (const path of sources) await generate(path);
  expect(host.emulator.tasks.map(({ files }) => files[0]?.name)).toEqual(
    sources.map(() => "first.png"),
  );
});

describe("a task", () => {
  test("that takes longer than a call may is pending, and is finished by a later call", async () => {
    await using host = await connect({ waitTimeoutMs: 3_000 });
    const taskid = taskidOf(await host.call("generate_image", { ...fox, prompt: "A fox #slow" }));
    const pending = [{ taskid, kind: "image", model: "imgmodelz" }];
    expect((await host.call("list_tasks")).structuredContent).toEqual({ pending, unknown: [] });
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
    const deletion = { kind: "image", taskids: [taskid] };
    expect(await failureOf(host, "delete_tasks", deletion)).toContain("this client cannot ask");
  });

  test("is deleted at the service after the user has accepted, unless another program has generated it", async () => {
    await using host = await connect({}, { answer: "accept" });
    const other = await createMediaGen(host.emulator.client).image.generate("imgmodelz", {
      prompt: "A fox",
    });
    const taskids = [taskidOf(await host.call("generate_image", fox))];
    for (const args of [
      { kind: "image", taskids: [...taskids, other.taskid] },
      { kind: "video", taskids },
    ])
      expect(await failureOf(host, "delete_tasks", args)).toMatch(
        /^delete_tasks: taskid .* that a generate tool/,
      );
    expect((await host.call("delete_tasks", { kind: "image", taskids })).structuredContent).toEqual(
      {
        deleted: taskids,
      },
    );
    const question = `Delete these tasks (1) at the service? It cannot be undone.\n${taskids[0]}`;
    expect(host.questions.slice(1)).toEqual([question]);
    expect(host.emulator.tasks).toMatchObject([{ taskid: other.taskid }]);
  });

  test("shows images of up to 700 kB in total, because hosts reject larger results", async () => {
    const bytes = async () => new Uint8Array(300_000);
    const results = () => ({ extension: "png", type: "image/png", bytes });
    await using host = await connect({}, {}, { results });
    const taskid = taskidOf(
      await host.call("generate_image", { ...fox, model: "imgmodelv4", batchsize: 2 }),
    );
    const { content } = await host.call("wait_for_task", { taskid });
    expect(content.map(({ type }) => type)).toEqual([
      "text",
      "resource_link",
      "resource_link",
      "image",
    ]);
  });
});

test.for<[Readonly<Record<string, unknown>>, RegExp]>([
  [{ allow: "/home/me" }, /allow must be a list of texts/],
  [{ allow: [""] }, /allow must be the path/],
  [{ output: "" }, /output/],
  [{ store: undefined }, /store must be a store/],
  [{ confirm: "requierd" }, /true, false or "required"/],
  [{ alow: [] }, /alow is not a known option/],
])("a factory with the options %j is rejected", ([options, message]) => {
  const given = { ...createEmulator().client, store: memoryStore(), output: "out", ...options };
  // The cast: a caller without types.
  expect(() => createMcpServerFactory(given as McpServerFactoryOptions)).toThrow(message);
});

test("list_models has every model, and what its fields take", async () => {
  await using host = await connect();
  const models = listModels().map(({ model, kind }) => ({
    model,
    kind,
    fields: { prompt: expect.any(String) },
  }));
  expect((await host.call("list_models")).structuredContent).toMatchObject({ models });
});
