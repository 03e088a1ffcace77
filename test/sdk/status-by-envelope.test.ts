import {
  InsufficientCreditsError,
  memoryStore,
  OutcomeUnknownError,
  ServiceError,
} from "@mediagen/sdk";
import { expect, test } from "vitest";
import { clientOf, errorOf } from "./fake-service.ts";

const statuses = [
  200, 201, 302, 307, 400, 401, 403, 404, 408, 409, 413, 425, 429, 500, 501, 502, 503, 504,
];

/**
 * A body, and whether a service that responds with it may have created a task: what is in doubt
 * counts as created.
 */
interface Body {
  readonly text: string;
  readonly isPaid: (status: number) => boolean;
  /** Whether the connection breaks before its end. */
  readonly breaks?: true;
}

const isServerError = (status: number) => status >= 500 || (status >= 300 && status < 400);
/**
 * What a gateway says without the service: 408 and 409 may follow a request that the service has
 * taken.
 */
const isTurnedAway = (status: number) =>
  (status >= 400 && status < 500 && status !== 408 && status !== 409) || status === 501;
const envelope = (code: number, data?: object) => JSON.stringify({ code, msg: "as it says", data });
const bodies: Readonly<Record<string, Body>> = {
  "1000 with a taskid": { text: envelope(1000, { taskid: "t-1" }), isPaid: () => true },
  "1000 without a taskid": { text: envelope(1000, {}), isPaid: () => true },
  "9999": { text: envelope(9999), isPaid: isServerError },
  "9000": { text: envelope(9000), isPaid: () => false },
  "an unknown code": { text: envelope(1001, { taskid: "t-1" }), isPaid: () => true },
  "a task, no envelope": { text: '{"data":{"taskid":"t-1"}}', isPaid: () => true },
  "a task, code as text": {
    text: '{"code":"1000","msg":"","data":{"taskid":"t-1"}}',
    isPaid: () => true,
  },
  "an unknown code as text": {
    text: '{"code":"1234","msg":"what"}',
    isPaid: () => true,
  },
  "a failure, code as text": { text: '{"code":"9999","msg":"no"}', isPaid: isServerError },
  "a code in words": {
    text: '{"code":"rate_limited","msg":"slow down"}',
    isPaid: (status) => !isTurnedAway(status),
  },
  "a task with an escaped name": {
    text: '{"code":9999,"msg":"no","data":{"t\\u0061skid":"t-1"}}',
    isPaid: () => true,
  },
  "a task whose body breaks off behind it": {
    text: envelope(1000, { taskid: "t-1" }),
    isPaid: () => true,
    breaks: true,
  },
  "a failure whose body breaks off behind it": {
    text: envelope(9999),
    isPaid: () => true,
    breaks: true,
  },
  "a task in a list": { text: `[${envelope(1000, { taskid: "t-1" })}]`, isPaid: () => true },
  "no envelope": { text: "<html></html>", isPaid: (status) => !isTurnedAway(status) },
  "a body that breaks off": {
    text: '{"code":1000,"msg":"as it says","data":{"task',
    isPaid: () => true,
    breaks: true,
  },
  "a body that ends early": {
    text: '{"code":1000,"msg":"as it says","data":{"task',
    isPaid: () => true,
  },
};

/** What two calls of one key come to, at a service that always responds alike. */
async function outcomeOf(status: number, { text, isPaid, breaks }: Body) {
  let paid = 0;
  const respond = () => {
    if (isPaid(status)) paid++;
    return new Response(breaks ? breaksOff(text) : text, { status });
  };
  const { generate, sent } = clientOf([respond], { retries: 2, store: memoryStore() });
  const call = async () => {
    const result = await errorOf(generate("order-1"));
    if (result instanceof OutcomeUnknownError) return "unknown";
    if (result instanceof InsufficientCreditsError) return "no credits";
    if (result instanceof ServiceError) return "rejected";
    return result instanceof Error ? result.name : "task";
  };
  return { calls: [await call(), await call()], paid, sent: sent() };
}

/** A body whose connection breaks before its end. */
function breaksOff(text: string): ReadableStream {
  let isRead = false;
  return new ReadableStream({
    pull(controller) {
      if (isRead) controller.error(new TypeError("terminated"));
      else controller.enqueue(new TextEncoder().encode(text));
      isRead = true;
    },
  });
}

test("whatever the status and the envelope, one key is paid at most once, and nothing paid is reported as rejected", async () => {
  const rows: string[] = [];
  for (const [name, body] of Object.entries(bodies)) {
    for (const status of statuses) {
      const { calls, paid, sent } = await outcomeOf(status, body);
      const where = `${name} under HTTP ${status}`;
      expect(paid, where).toBeLessThanOrEqual(1);
      if (paid === 1)
        expect(
          [
            ["task", "task"],
            ["unknown", "unknown"],
          ],
          where,
        ).toContainEqual(calls);
      else expect(calls, where).not.toContain("task");
      rows.push(
        `${name.padEnd(22)} ${status}  ${calls.join(", ").padEnd(24)} paid ${paid}, sent ${sent}`,
      );
    }
  }
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("status-by-envelope.txt");
});
