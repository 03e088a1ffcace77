import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { kinds } from "../../contract/cases.ts";
import { serve } from "../command-process.ts";
import { multipartRequest } from "../form-parts.ts";

const clients = 200;
const requests = 50_000;

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data?: { readonly taskid?: string; readonly url?: readonly string[]; readonly status?: string };
}

/** The memory that a process holds, in MB. */
async function residentMB(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

test(`${clients} clients at once get ${requests} good answers, and the emulator's memory stays flat`, async () => {
  const emulator = await serve(["--speed", "1000"]);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const form = multipartRequest("http://localhost", "", [{ name: "prompt", value: "A fox runs through snow" }]);
  const [formType, formBody] = [form.headers.get("content-type") ?? "", Buffer.from(await form.bytes())];
  let answered = 0;
  const errors: unknown[] = [];

  async function post(path: string, contentType: string, body: string | Buffer): Promise<Envelope> {
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = {
        authorization: "emulator-key",
        "content-type": contentType,
        "content-length": Buffer.byteLength(body),
      };
      const call = request(emulator.baseUrl + path, { agent, method: "POST", headers }, (incoming) =>
        resolve(text(incoming)),
      );
      call.on("error", reject).end(body);
    });
    answered++;
    return JSON.parse(answer) as Envelope;
  }

  /** Generates, queries until well after the results are there, and deletes, again and again, in batches of five. */
  async function useIt(index: number): Promise<void> {
    const { generate, query, delete: deletion } = kinds[index % kinds.length] ?? expect.fail("there is no kind");
    const paths = [...generate.values()].map(({ path }) => path);
    const json = "application/json";
    while (answered < requests) {
      const taskids: string[] = [];
      for (let count = 0; count < 5; count++) {
        const { data, ...generation } = await post(paths[(index + count) % paths.length] ?? "", formType, formBody);
        if (generation.code !== 1000 || !data?.taskid) errors.push(generation);
        else taskids.push(data.taskid);
      }
      for (const taskid of [...taskids, ...taskids, ...taskids]) {
        const { data, ...record } = await post(query.path, json, JSON.stringify({ taskid }));
        if (record.code !== 1000 || data?.taskid !== taskid) errors.push(record);
      }
      const { data, ...deleted } = await post(deletion.path, json, JSON.stringify({ taskids }));
      if (deleted.code !== 1000 || data?.status !== "Success") errors.push(deleted);
    }
  }

  const memory: { readonly answered: number; readonly mb: number }[] = [];
  let over = false;
  const sampling = (async () => {
    while (!over) {
      memory.push({ answered, mb: await residentMB(emulator.child.pid) });
      await setTimeout(100);
    }
  })();
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, index) => useIt(index)));
  const seconds = (performance.now() - start) / 1000;
  over = true;
  await sampling;
  agent.destroy();
  emulator.child.kill("SIGTERM");

  const most = (from: number, to: number) =>
    Math.max(
      ...memory.filter((one) => one.answered >= from * requests && one.answered <= to * requests).map(({ mb }) => mb),
    );
  const quarters = [most(0, 0.25), most(0.25, 0.5), most(0.5, 0.75), most(0.75, 2)].map(Math.round);
  console.log(
    `${answered} requests of ${clients} clients in ${seconds.toFixed(1)} s: ${Math.round(answered / seconds)} a second; most memory in each quarter: ${quarters.join(", ")} MB`,
  );
  expect(errors).toEqual([]);
  expect(answered).toBeGreaterThanOrEqual(requests);
  expect(
    quarters[3],
    "the last quarter needs no more memory than the second, but for what a collector leaves lying",
  ).toBeLessThan((quarters[1] ?? 0) * 1.25 + 30);
  expect(await emulator.ended).toMatchObject({ code: 0, stderr: "" });
});
