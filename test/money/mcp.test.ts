import { createEmulator } from "@mediagen/emulator";
import type { McpServerFactoryOptions } from "@mediagen/mcp";
import { createMediaGen, memoryStore } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { type Connected, connect, eras, type HostOptions, textOf } from "../mcp/connect.ts";

const fox = { model: "imgmodelv4", prompt: "A cheap fox", idempotencyKey: "fox-1" };
const accepted = { inputResponses: { confirm: { action: "accept", content: {} } } };

/** The retry fields of a call: what a user has answered, and the state that came with the question. */
interface Answer {
  readonly inputResponses?: object;
  readonly requestState?: string;
}

/** Calls a tool as a host does that handles the questions itself. Returns the question's state if the server asks. */
async function callWith(
  { client }: Connected,
  name: string,
  args: Readonly<Record<string, unknown>>,
  answer: Answer = {},
) {
  const params = { name, arguments: { ...args }, ...answer };
  const result: object = await client.callTool(params, { allowInputRequired: true });
  // The cast: a result has these, or not.
  return result as { readonly isError?: boolean; readonly requestState?: string; readonly inputRequests?: object };
}

/** Returns what the user of a host was asked last. */
const lastQuestion = ({ questions }: Connected) => questions.at(-1)?.split("\n") ?? [];

describe("arguments of the wrong type are rejected before anything is sent or asked", () => {
  test.each([
    ...[["imgmodelv4"], [], { model: "imgmodelv4" }, 4, null, undefined].map((model) => ({ model })),
    ...[["fox-1"], { key: "fox-1" }, 1, "", null, undefined].map((idempotencyKey) => ({ idempotencyKey })),
  ])("%j", async (wrong) => {
    await using host = await connect({}, { answer: "accept" });
    const result = await host.call("generate_image", { ...fox, ...wrong });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(Object.keys(wrong)[0] ?? "")]);
    expect([host.questions, host.emulator.calls]).toEqual([[], []]);
    // Neither the key nor the list is broken.
    expect((await host.call("list_tasks")).structuredContent).toEqual({ pending: [], unknown: [] });
    expect((await host.call("generate_image", fox)).structuredContent).toMatchObject({ state: "pending" });
    expect(host.emulator.charges).toHaveLength(1);
  });

  test("and the message for a value of a field names it, what is valid and the closest one", async () => {
    await using host = await connect();
    const clip = { model: "vidmodelv2", prompt: "A fox", ratio: "16x9", duration: "long", idempotencyKey: "clip-1" };
    const text = textOf(await host.call("generate_video", clip));
    expect(text).toMatch(/ratio must be .*"16:9", "4:3".*"16x9".*Did you mean "16:9"/);
    expect(text).toMatch(/duration .*"long"/);
    expect(host.emulator.calls).toEqual([]);
  });
});

describe("a confirmation belongs to one question", () => {
  test.for<[HostOptions, McpServerFactoryOptions["confirm"], number]>([
    [{ era: "legacy", answer: "decline" }, true, 1],
    [{ era: "legacy", answer: "decline" }, "required", 1],
    [{ era: "legacy" }, "required", 0],
    [{ era: "auto" }, "required", 0],
    [{ era: "legacy", answer: "decline", over: "http" }, undefined, 0],
    [{ era: "auto", over: "http" }, undefined, 0],
  ])(
    "so an answer to a question that nobody asked is ignored: %j with confirm %j",
    async ([options, confirm, asked]) => {
      await using host = await connect({ confirm }, options);
      for (const answer of [accepted, { ...accepted, requestState: "A".repeat(43) }]) {
        expect((await callWith(host, "generate_image", fox, answer)).isError).toBe(true);
      }
      expect([host.questions.length, host.emulator.calls]).toEqual([2 * asked, []]);
    },
  );

  test.each(["stdio", "http"] as const)("and over %s, only the call that was asked about is sent", async (over) => {
    await using host = await connect({ confirm: "required" }, { answer: "accept", over });
    const { requestState = "" } = await callWith(host, "generate_image", fox);
    const answer = { ...accepted, requestState };
    for (const other of [
      { model: "imgmodelv45" },
      { prompt: "A dear fox" },
      { batchsize: 15 },
      { idempotencyKey: "2" },
    ]) {
      expect(await callWith(host, "generate_image", { ...fox, ...other }, answer)).toHaveProperty("inputRequests");
    }
    for (const state of [undefined, "", requestState.slice(1), `${requestState} `]) {
      const bad = { ...accepted, ...(state === undefined ? {} : { requestState: state }) };
      expect(await callWith(host, "generate_image", fox, bad)).toHaveProperty("inputRequests");
    }
    expect(host.emulator.calls).toEqual([]);
    expect((await callWith(host, "generate_image", fox, answer)).isError).toBeFalsy();
    expect((await callWith(host, "generate_image", fox, answer)).isError).toBeFalsy();
    expect(host.emulator.charges, "the same key is the same task").toHaveLength(1);
  });

  test("and to its factory", async () => {
    await using one = await connect({}, { answer: "accept" });
    await using other = await connect({}, { answer: "accept" });
    const { requestState = "" } = await callWith(one, "generate_image", fox);
    expect(await callWith(other, "generate_image", fox, { ...accepted, requestState })).toHaveProperty("inputRequests");
    expect(other.emulator.calls).toEqual([]);
  });

  test("also a decline: one that nobody gave does not keep the user from being asked", async () => {
    await using host = await connect({}, { answer: "accept" });
    const declined = { inputResponses: { confirm: { action: "decline" } } };
    const { requestState = "", inputRequests } = await callWith(host, "generate_image", fox, declined);
    expect(inputRequests).toBeDefined();
    expect((await callWith(host, "generate_image", fox, { ...declined, requestState })).isError).toBe(true);
    expect(host.emulator.calls).toEqual([]);
  });

  test("and deletes no other tasks", async () => {
    const emulator = createEmulator();
    const store = memoryStore();
    const media = createMediaGen({ ...emulator.client, store });
    const [one, two] = await Promise.all([1, 2].map(() => media.image.generate("imgmodelz", { prompt: "A fox" })));
    await using host = await connect({ ...emulator.client, store }, { answer: "accept" });
    const asked = [
      await callWith(host, "generate_image", fox),
      await callWith(host, "delete_tasks", { kind: "image", taskids: [one?.taskid] }),
    ];
    for (const { requestState = "" } of asked) {
      const args = { kind: "image", taskids: [two?.taskid] };
      expect(await callWith(host, "delete_tasks", args, { ...accepted, requestState })).toHaveProperty("inputRequests");
    }
    expect(emulator.tasks).toHaveLength(2);
  });
});

describe("over HTTP, a generation must be confirmed", () => {
  test.for<[HostOptions, McpServerFactoryOptions["confirm"], number]>([
    [{ era: "auto" }, undefined, 0],
    [{ era: "legacy" }, undefined, 0],
    [{ era: "legacy", answer: "accept" }, undefined, 0],
    [{ era: "auto", answer: "accept" }, undefined, 1],
    [{ era: "legacy" }, true, 1],
    [{ era: "auto" }, false, 1],
  ])("%j with confirm %j", async ([options, confirm, paid]) => {
    await using host = await connect({ confirm }, { ...options, over: "http" });
    const result = await host.call("generate_image", fox);
    expect([result.isError ?? false, host.emulator.charges.length]).toEqual([paid === 0, paid]);
  });

  test.each(eras)("but not in a process of the host, for a client of the era %j", async (era) => {
    await using host = await connect({}, { era });
    expect((await host.call("generate_image", fox)).isError).toBeFalsy();
  });
});

describe("the question", () => {
  test("shows what costs first, then free text, whatever the order of the model", async () => {
    await using host = await connect({}, { answer: "decline" });
    await host.call("generate_image", { ...fox, category: "animals", resolution: "16:9", batchsize: 4 });
    expect(lastQuestion(host)[0]).toContain(fox.model);
    expect(lastQuestion(host).slice(1, 3).toSorted()).toEqual(["batchsize: 4", 'resolution: "16:9"']);
    expect(lastQuestion(host).slice(3).toSorted()).toEqual(['category: "animals"', 'prompt: "A cheap fox"']);
    const clip = { model: "vidmodelv2", idempotencyKey: "clip-1", prompt: "A fox", generate_audio: true, duration: 15 };
    await host.call("generate_video", { ...clip, resolution: "720p" });
    const costs = ["duration: 15", "generate_audio: true", 'resolution: "720p"'];
    expect(lastQuestion(host).slice(1, 4).toSorted()).toEqual(costs);
    expect(lastQuestion(host).slice(4)).toEqual(['prompt: "A fox"']);
  });

  test("is short, however long the texts are", async () => {
    await using host = await connect({}, { answer: "decline" });
    await host.call("generate_image", {
      ...fox,
      prompt: "🦊".repeat(200_000),
      category: "a\n".repeat(5_000),
      batchsize: 15,
    });
    const lines = lastQuestion(host);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe("batchsize: 15");
    expect(lines[2]).toMatch(/^prompt: "(🦊){99}.*\(\d{6} more/u);
    expect(lines.join("\n").length).toBeLessThan(1_500);
  });

  test("has no characters that hide or reorder its lines", async () => {
    await using host = await connect({}, { answer: "decline" });
    const hidden = [0x0, 0x7, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029]
      .concat([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xe0041, 0xd800])
      .map((code) => String.fromCodePoint(code));
    for (const character of hidden) {
      await host.call("generate_image", { ...fox, prompt: `A ${character}fox\r\nbatchsize: 1` });
      const [, line = "", ...more] = lastQuestion(host);
      expect(more).toEqual([]);
      expect(line).toMatch(/^prompt: "A \\.*fox\\r\\nbatchsize: 1"$/);
      expect(line).not.toContain(character);
    }
    // What people write stays as it is.
    await host.call("generate_image", { ...fox, prompt: 'Ein "Füchschen", 狐 🦊 ثعلب' });
    expect(lastQuestion(host)[1]).toBe('prompt: "Ein \\"Füchschen\\", 狐 🦊 ثعلب"');
  });

  test("about a deletion counts the tasks, and shows some of them, escaped", async () => {
    const store = memoryStore();
    const names = Array.from({ length: 50 }, (_, index) => `\u202Etask\u2028-${index}`);
    const emulator = createEmulator();
    const media = createMediaGen({
      ...emulator.client,
      store,
      fetch: async () => Response.json({ code: 1000, msg: "", data: { taskid: names.pop() } }),
    });
    const taskids = [];
    for (const _ of Array.from({ length: 50 })) {
      taskids.push((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid);
    }
    await using host = await connect({ ...emulator.client, store }, { answer: "decline" });
    await host.call("delete_tasks", { kind: "image", taskids });
    const lines = lastQuestion(host);
    expect(lines[0]).toContain("50");
    expect(lines).toHaveLength(2);
    expect(lines[1]).not.toMatch(/[\u202E\u2028]/);
    expect(lines[1]).toMatch(/task.*-49, .*\(\d+ more/);
    expect(lines[1]?.length).toBeLessThan(1_000);
    expect(emulator.calls).toEqual([]);
  });
});
