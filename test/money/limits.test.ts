import { type BeforeGenerate, OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { clientOf, created, errorOf, lost, sharedStore } from "../sdk/fake-service.ts";

const form = { prompt: "A fox" };

describe("beforeGenerate", () => {
  test("receives the form, its model, and the number of results that it requests", async () => {
    const beforeGenerate = vi.fn<BeforeGenerate>();
    const { media } = clientOf([], { beforeGenerate });
    const four = { ...form, batchsize: 4 };
    await media.image.generate("imgmodelv4", four);
    await media.video.generate("vidmodelv2", form);
    expect(beforeGenerate.mock.calls).toEqual([
      [four, { kind: "image", model: "imgmodelv4", resultCount: 4 }],
      [form, { kind: "video", model: "vidmodelv2", resultCount: 1 }],
    ]);
  });

  test("is called once for a key, in this process, at the same time, and in another one, also if its outcome is unknown", async () => {
    for (const reply of [() => created("t-1"), lost]) {
      const beforeGenerate = vi.fn<BeforeGenerate>();
      const store = sharedStore();
      const { generate, sent } = clientOf([reply], { beforeGenerate, store });
      const other = clientOf([], { beforeGenerate, store });
      const calls = [generate("1"), generate("1"), generate("1")].map(errorOf);
      const outcomes = [
        ...(await Promise.all(calls)),
        await errorOf(generate("1")),
        await errorOf(other.generate("1")),
      ];
      for (const outcome of outcomes)
        if (reply === lost) expect(outcome).toBeInstanceOf(OutcomeUnknownError);
        else expect(outcome).toHaveProperty("taskid", "t-1");
      expect([beforeGenerate.mock.calls.length, sent(), other.sent()]).toEqual([1, 1, 0]);
    }
  });
});
