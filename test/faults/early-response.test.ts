import { execFile } from "node:child_process";
import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "vitest";
import { serve } from "../serve.ts";

const program = fileURLToPath(new URL("processes/early-response.ts", import.meta.url));
const task = '{"code":1000,"msg":"","data":{"taskid":"t-1"}}';
const closes = { connection: "close" };

/**
 * How a service responds before it has read a request, and what a generation comes to if it reads
 * the response in time.
 */
const earlyResponses: readonly (readonly [
  name: string,
  outcome: string,
  RequestListener,
  abortAfterMs?: number,
])[] = [
  [
    "401, and the connection stays",
    "AuthenticationError",
    (_, response) => response.writeHead(401).end("{}"),
  ],
  [
    "401, and it closes",
    "AuthenticationError",
    (_, response) => response.writeHead(401, closes).end("{}"),
  ],
  [
    "401, and it breaks",
    "AuthenticationError",
    ({ socket }, response) => {
      response.writeHead(401).end("{}");
      setTimeout(() => socket.destroy(), 5);
    },
  ],
  ["413", "ServiceError", (_, response) => response.writeHead(413, closes).end("too large")],
  ["429", "RateLimitError", (_, response) => response.writeHead(429).end("later")],
  ["a task", "t-1", (_, response) => response.writeHead(200, closes).end(task)],
  ["nothing until the caller aborts", "TimeoutError", () => undefined, 20],
];

test.concurrent.for(["@mediagen/sdk", "@mediagen/sdk/node"])(
  "a response before an upload is complete does not end the process, with %s",
  async (entry, { expect }) => {
    await using servers = new AsyncDisposableStack();
    const serveOne = async ([, , respond, abortAfterMs]: (typeof earlyResponses)[number]) => {
      return { baseUrl: servers.use(await serve(respond)).baseUrl, abortAfterMs };
    };
    const given = JSON.stringify({
      entry,
      services: await Promise.all(earlyResponses.map(serveOne)),
    });
    const ran = promisify(execFile)(process.execPath, [program, given], { timeout: 60_000 });
    const failed = (error: Error & Awaited<typeof ran>) => error;
    const { stdout, stderr, message } = await ran.then(
      (output) => ({ ...output, message: "" }),
      failed,
    );
    const printed = stdout.split("\n");
    for (const [index, [name, outcome]] of earlyResponses.entries()) {
      const seen = printed[index] || expect.fail(`${name}: no outcome. ${message}`);
      // If the broken connection overtakes the response, the outcome is unknown.
      for (const one of JSON.parse(seen) as string[])
        expect([outcome, "OutcomeUnknownError"], name).toContain(one);
    }
    expect(message + stderr).toBe("");
  },
);
