import { createEmulator } from "@mediagen/emulator";
import type { McpServerFactoryOptions } from "@mediagen/mcp";
import { createMediaGen, memoryStore } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { type Connected, connect, eras, type HostOptions, textOf } from "../mcp/connect.ts";

const fox = { model: "imgmodelv4", prompt: "A cheap fox", idempotencyKey: "fox-1" };
const accepted = { inputResponses: { confirm: { action: "accept", content: {} } } };
const declined = { inputResponses: { confirm: { action: "decline" } } };

/**
 * Calls a tool as a host that handles the questions itself. `answer` has the retry fields: what a
 * user answered, and the state of a question.
 */
async function callWith({ client }: Connected, name: string, args: object, answer: object = {}) {
  const params = { name, arguments: { ...args }, ...answer };
  const result: object = await client.callTool(params, { allowInputRequired: true });
  // The cast: a result has these, or not.
  return result as {
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: object;
  };
}

/** Returns what the user of a host was asked last. */
const lastQuestion = ({ questions }: Connected) => questions.at(-1)?.split("\n") ?? [];

test.each([
  ...[["imgmodelv4"], [], { model: "imgmodelv4" }, 4, null, undefined].map((model) => ({ model })),
  ...[["fox-1"], { key: "fox-1" }, 1, "", null, undefined].map((idempotencyKey) => ({
    idempotencyKey,
  })),
])(
  "arguments of the wrong type are rejected before anything is sent or asked: %j",
  async (wrong) => {
    await using host = await connect({}, { answer: "accept" });
    const result = await host.call("generate_image", { ...fox, ...wrong });
    expect([result.isError, textOf(result)]).toEqual([
      true,
      expect.stringContaining(Object.keys(wrong)[0] ?? ""),
    ]);
    expect([host.questions, host.emulator.calls]).toEqual([[], []]);
    // Neither the key nor the list is broken.
    expect((await host.call("list_tasks")).structuredContent).toEqual({ pending: [], unknown: [] });
    expect((await host.call("generate_image", fox)).structuredContent).toMatchObject({
      state: "pending",
    });
    expect(host.emulator.charges).toHaveLength(1);
  },
);

describe("a confirmation belongs to one question", () => {
  test.for<[HostOptions, McpServerFactoryOptions["confirm"], number]>([
    [{ era: "legacy", answer: "decline" }, true, 1],
    [{ era: "legacy", answer: "decline" }, "required", 1],
    [{ era: "legacy" }, "required", 0],
    [{ era: "auto" }, "required", 0],
    [{ era: "legacy", answer: "decline", over: "http" }, undefined, 0],
    [{ era: "auto", over: "http" }, undefined, 0],
  ])(
    "so an answer to no question is ignored: %j with confirm %j",
    async ([options, confirm, asked]) => {
      await using host = await connect({ confirm }, options);
      for (const answer of [accepted, { ...accepted, requestState: "A".repeat(43) }])
        expect((await callWith(host, "generate_image", fox, answer)).isError).toBe(true);
      expect([host.questions.length, host.emulator.calls]).toEqual([2 * asked, []]);
    },
  );

  test.each(["stdio", "http"] as const)(
    "and over %s, only the call that was asked about is sent",
    async (over) => {
      await using host = await connect({ confirm: "required" }, { answer: "accept", over });
      const ask = (args: object, answer: object) =>
        callWith(host, "generate_image", { ...fox, ...args }, answer);
      const { requestState = "" } = await ask({}, {});
      const answer = { ...accepted, requestState };
      for (const other of [
        { model: "imgmodelv45" },
        { prompt: "A dear fox" },
        { batchsize: 15 },
        { idempotencyKey: "2" },
      ])
        expect(await ask(other, answer)).toHaveProperty("inputRequests");
      for (const state of ["", requestState.slice(1), `${requestState} `])
        expect(await ask({}, { ...accepted, requestState: state })).toHaveProperty("inputRequests");
      // Nor does a decline that nobody gave keep the user from being asked.
      for (const bad of [accepted, declined])
        expect(await ask({}, bad)).toHaveProperty("inputRequests");
      expect((await ask({}, { ...declined, requestState })).isError).toBe(true);
      expect(host.emulator.calls).toEqual([]);
      for (const _ of [1, 2]) expect((await ask({}, answer)).isError).toBeFalsy();
      expect(host.emulator.charges, "the same key is the same task").toHaveLength(1);
    },
  );

  test("and to its factory, and deletes no other tasks", async () => {
    await using one = await connect({}, { answer: "accept" });
    await using other = await connect({}, { answer: "accept" });
    const { image } = createMediaGen({ ...one.emulator.client, store: one.store });
    const tasks = await Promise.all(
      [1, 2].map(() => image.generate("imgmodelz", { prompt: "A fox" })),
    );
    const [first, second] = tasks.map(({ taskid }) => ({ kind: "image", taskids: [taskid] }));
    const asked = await callWith(one, "generate_image", fox);
    for (const { requestState } of [asked, await callWith(one, "delete_tasks", first ?? {})]) {
      const answer = { ...accepted, requestState };
      expect(await callWith(one, "delete_tasks", second ?? {}, answer)).toHaveProperty(
        "inputRequests",
      );
      expect(await callWith(other, "generate_image", fox, answer)).toHaveProperty("inputRequests");
    }
    expect([one.emulator.tasks.length, other.emulator.calls]).toEqual([2, []]);
  });
});

test.for<[HostOptions, McpServerFactoryOptions["confirm"], number]>([
  [{ era: "auto" }, undefined, 0],
  [{ era: "legacy" }, undefined, 0],
  [{ era: "legacy", answer: "accept" }, undefined, 0],
  [{ era: "auto", answer: "accept" }, undefined, 1],
  [{ era: "legacy" }, true, 1],
  [{ era: "auto" }, false, 1],
  ...eras.map((era): [HostOptions, undefined, number] => [{ era, over: "stdio" }, undefined, 1]),
])(
  "a generation must be confirmed over HTTP, but not in a process of the host: %j with confirm %j",
  async (row) => {
    const [options, confirm, billed] = row;
    await using host = await connect({ confirm }, { over: "http", ...options });
    const result = await host.call("generate_image", fox);
    expect([result.isError ?? false, host.emulator.charges.length]).toEqual([billed === 0, billed]);
  },
);

describe("the question", () => {
  test("shows what costs first, then free text, whatever the order of the model", async () => {
    await using host = await connect({}, { answer: "decline" });
    await host.call("generate_image", {
      ...fox,
      category: "animals",
      resolution: "16:9",
      batchsize: 4,
    });
    const [head, ...lines] = lastQuestion(host);
    expect(head).toContain(fox.model);
    const sorted = [lines.slice(0, 2).sort(), lines.slice(2).sort()];
    expect(sorted).toEqual([
      ["batchsize: 4", 'resolution: "16:9"'],
      ['category: "animals"', 'prompt: "A cheap fox"'],
    ]);
  });

  test("is short, however long the texts are", async () => {
    await using host = await connect({}, { answer: "decline" });
    const long = { prompt: "🦊".repeat(200_000), category: "a\n".repeat(5_000), batchsize: 15 };
    await host.call("generate_image", { ...fox, ...long });
    const lines = lastQuestion(host);
    expect([lines.length, lines[1]]).toEqual([4, "batchsize: 15"]);
    expect(lines[2]).toMatch(/^prompt: "(🦊){99}.*\(\d{6} more/u);
    expect(lines.join("\n").length).toBeLessThan(1_500);
  });

  test("has no characters that hide or reorder its lines", async () => {
    await using host = await connect({}, { answer: "decline" });
    const hidden = [
      0x0, 0x7, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
    ]
      .concat([
        0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xe0041,
        0xd800,
      ])
      .map((code) => String.fromCodePoint(code));
    await host.call("generate_image", {
      ...fox,
      prompt: `A ${hidden.join("fox")}\r\nbatchsize: 1`,
    });
    const [, line = "", ...more] = lastQuestion(host);
    expect([more, hidden.filter((character) => line.includes(character))]).toEqual([[], []]);
    // What people write stays as it is.
    await host.call("generate_image", { ...fox, prompt: 'Ein "Füchschen", 狐 🦊 ثعلب' });
    expect(lastQuestion(host)[1]).toBe('prompt: "Ein \\"Füchschen\\", 狐 🦊 ثعلب"');
  });

  test("about a deletion counts the tasks, and shows some of them, escaped", async () => {
    const store = memoryStore();
    const emulator = createEmulator();
    const names = Array.from({ length: 50 }, (_, index) => `\u202Etask\u2028-${index}`);
    const fetch = async () => Response.json({ code: 1000, msg: "", data: { taskid: names.pop() } });
    const { image } = createMediaGen({ ...emulator.client, store, fetch });
    const tasks = await Promise.all(
      names.map(() => image.generate("imgmodelz", { prompt: "A fox" })),
    );
    await using host = await connect({ ...emulator.client, store }, { answer: "decline" });
    await host.call("delete_tasks", { kind: "image", taskids: tasks.map(({ taskid }) => taskid) });
    const [head, line = "", ...more] = lastQuestion(host);
    expect([head, line, more]).toEqual([
      expect.stringContaining("50"),
      expect.stringMatching(/task.*, .*\(\d+ more/),
      [],
    ]);
    expect([/[\u202E\u2028]/.test(line), line.length < 1_000, emulator.calls]).toEqual([
      false,
      true,
      [],
    ]);
  });
});
