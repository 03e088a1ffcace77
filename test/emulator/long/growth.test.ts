import { connect } from "node:net";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bareSockets } from "../../bench/bare-socket.ts";
import { serve } from "../command-process.ts";

const requests = 1_000_000;
const odd = [
  "\0\xff\xfe",
  "GET / HTTP/9.9\r\n\r\n",
  "POST /v1 HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
  "\r\n".repeat(500),
];

test(`${requests} requests, some of odd bytes, next to 200 slow clients, need no more memory than the first tenth`, async () => {
  const { baseUrl, child, ended } = await serve(["--credits", "1e9"]);
  const port = Number(new URL(baseUrl).port);
  const sockets = bareSockets(port);
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_024;
  const query = () => sockets.post("/v1/video/infobytaskid", "application/json", '{"taskid":"t-0"}');
  const slow = Array.from({ length: 200 }, () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    const text = `POST /v1/video/infobytaskid HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${"x".repeat(1_000)}`;
    let at = 0;
    const timer = setInterval(() => socket.destroyed || socket.write(text[at++] ?? "x"), 250);
    return () => (clearInterval(timer), socket.destroy());
  });
  const load = async (count: number) => {
    let [left, failed] = [count, 0];
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left-- > 0) {
          if (!(await query()).includes('"code":9999')) failed++;
          if (left % 1_000 === 0)
            connect(port, "127.0.0.1")
              .on("error", () => undefined)
              .end(odd[(left / 1_000) % odd.length] ?? "", "latin1");
        }
      }),
    );
    return failed;
  };
  expect(await load(requests / 10)).toBe(0);
  const early = memory();
  expect(await load((requests * 9) / 10)).toBe(0);
  const late = memory();
  console.log(`${early.toFixed(0)} MB after a tenth, ${late.toFixed(0)} MB after all`);
  expect(late).toBeLessThan(early + 30);
  for (const end of slow) end();
  sockets.close();
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
}, 1_800_000);
