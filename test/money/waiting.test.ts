import { InvalidRequestError, type MediaGenOptions, WaitTimeoutError } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, success } from "../sdk/fake-service.ts";
import { type Answer, clientOnAClock } from "../sdk/client-on-a-clock.ts";

const advice = /If \d+ means that it has failed/;

describe("the advice to declare a status as failed", () => {
  /** The error of a wait that ends at its deadline, and what was logged until then. */
  async function timeout(answers: readonly Answer[], options: MediaGenOptions = {}) {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const logger = { error: log, warn: log, info: log, debug: log };
    const { media } = clientOnAClock(answers, { logger, logLevel: "info", ...options });
    const error = await errorOf(media.video.task("t-1").wait({ waitTimeoutMs: 60_000 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    // Lines are written one after the other.
    await vi.waitFor(() => expect(lines.at(-1)).toMatch(/WaitTimeoutError/));
    return { message: (error as Error).message, lines: lines.join("\n") };
  }

  const stuck = { status: 0, message: "the picture was rejected" };

  test.for<[string, readonly Answer[], MediaGenOptions?]>([
    ["without a message", [{ status: 0 }]],
    [
      "whose message changes",
      Array.from({ length: 200 }, (_, percent) => ({ status: 0, message: `${percent % 100} %` })),
    ],
    ["that was seen once", [{ status: 1 }, { status: 1 }, ...Array(1).fill(stuck), "lost"]],
    ["that is declared as pending", [stuck], { statuses: { failed: [3], succeeded: [2], pending: [0, 1] } }],
    ["that classify reads", [stuck], { classify: () => "pending" }],
  ])("is not given for a status %s", async ([, answers, options]) => {
    const { message, lines } = await timeout(answers, options);
    expect(message + lines).not.toMatch(advice);
  });

  test("is given for one that stays the same with a message, and keeps the statuses that are declared", async () => {
    const { message, lines } = await timeout([stuck], { statuses: { failed: [3] } });
    for (const text of [message, lines]) {
      expect(text).toMatch(advice);
      expect(text).toMatch(/add it to .*statuses\.failed .*MEDIAGEN_FAILED_STATUSES/);
    }
  });
});

test("an async classify that rejects ends its wait, not the process", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  try {
    const { media } = clientOf([() => success({ taskid: "t-1", url: [] })], {
      classify: (() => Promise.reject(new Error("my database is down"))) as never,
    });
    const task = media.image.task("t-1");
    for (const call of [task.wait(), task.check()]) expect(await errorOf(call)).toBeInstanceOf(InvalidRequestError);
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
  }
});
