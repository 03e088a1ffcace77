import { setTimeout } from "node:timers/promises";
import { createEmulator, listen } from "@mediagen/emulator/node";
import {
  createMediaGen,
  InsufficientCreditsError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
} from "@mediagen/sdk";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { afterAll, beforeEach, expect, test } from "vitest";
import { exampleOf, readSpec } from "../../scripts/spec.ts";
import { generate, models, operations, yaml } from "../contract/cases.ts";

const emulator = createEmulator({ credits: 100_000 });
const upstream = await listen(emulator);
/** `prism proxy --errors`: a fourth reader of the spec, which answers 500 where an answer of the emulator breaks it. */
const proxy = createServer(await getHttpOperationsFromSpec(readSpec(yaml)), {
  components: { logger: createLogger("proxy", { level: "silent" }) },
  cors: false,
  config: {
    checkSecurity: true,
    errors: true,
    isProxy: true,
    mock: { dynamic: false },
    upstream: new URL(upstream.baseUrl),
    upstreamProxy: undefined,
    validateRequest: true,
    validateResponse: true,
  },
});
const baseUrl = await proxy.listen(0, "127.0.0.1");
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

/** Every answer that came through the proxy: the path, the status and what it found wrong. */
const answers: { readonly path: string; readonly status: number; readonly violations: string | null }[] = [];
beforeEach(() => void answers.splice(0));

const { apiKey, statuses } = emulator.client;
const media = createMediaGen({
  baseUrl,
  apiKey,
  statuses,
  // Each query moves the emulator's time on, so waits need not pause as long as they say. Limits are on what takes real time.
  clock: { sleep: async (ms, signal, reason) => setTimeout(reason === "pause" ? ms / 100 : ms, undefined, { signal }) },
  async fetch(url, init) {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(10_000)]);
    const answer = await fetch(url, { ...init, signal });
    answers.push({
      path: new URL(url).pathname,
      status: answer.status,
      violations: answer.headers.get("sl-violations"),
    });
    return answer;
  },
});

const prompt = 'A fox – 狐狸 🦊 –\nruns through 100% of the snow & "more" = fun; +1';

test("every operation goes through prism proxy --errors without a violation, to the last result", async () => {
  for (const { model, operation } of models) {
    const task = await generate(media, model, { ...exampleOf(operation), prompt });
    const { url } = await task.wait();
    expect(url.length, model).toBe(emulator.tasks[0]?.plan.count);
    expect(emulator.tasks[0]?.prompt, "nothing was lost on the way").toBe(prompt.replace("\n", "\r\n"));
    await task.delete();
  }
  const { taskid } = await media.image.generate("imgmodelv4", { prompt });
  await media.image.delete([taskid], { uid: "user-17" });
  expect(new Set(answers.map(({ path }) => path))).toEqual(new Set(operations.map(({ path }) => path)));
  expect(answers.filter(({ status, violations }) => status !== 200 || violations !== null)).toEqual([]);
});

test("so does what is refused, unpaid or failed", async () => {
  await expect(media.video.query("t-0", { moreTaskInfo: true })).rejects.toBeInstanceOf(ServiceError);
  await expect(media.image.delete(["t-0"])).rejects.toBeInstanceOf(ServiceError);
  await expect(media.image.generate("imgmodelv4", { prompt: "#credits" })).rejects.toBeInstanceOf(
    InsufficientCreditsError,
  );
  await expect((await media.video.generate("vidmodelv2", { prompt: "#fail" })).wait()).rejects.toBeInstanceOf(
    TaskFailedError,
  );
  expect(answers.length).toBeGreaterThan(4);
  expect(answers.filter(({ status, violations }) => status !== 200 || violations !== null)).toEqual([]);
});

test("and an answer that breaks the spec does not", async () => {
  emulator.next({ fault: "wrongCode" });
  await expect(media.video.generate("vidmodelv2", { prompt })).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect(answers).toMatchObject([{ status: 500, violations: expect.stringContaining("code") }]);
});
