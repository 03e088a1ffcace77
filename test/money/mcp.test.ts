import { describe, expect, test } from "vitest";
import { connect, textOf } from "../mcp/connect.ts";

const fox = { model: "imgmodelv4", prompt: "A cheap fox", idempotencyKey: "fox-1" };

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
    expect(text).toMatch(/ratio "16x9" .*"16:9", "4:3".*Did you mean "16:9"/);
    expect(text).toMatch(/duration .*"long"/);
    expect(host.emulator.calls).toEqual([]);
  });
});
