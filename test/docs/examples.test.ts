import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmulatorOptions, Fault } from "@mediagen/emulator";
import { expect, test, vi } from "vitest";
import { startMock } from "../../scripts/mock.ts";
import { specFile } from "../../scripts/spec.ts";
import { makeCertificate } from "../faults/certificate.ts";
import { serve } from "../serve.ts";
import { startProxy, startService } from "../sdk/proxy-server.ts";
import { readAll } from "./read-all.ts";
import { createDesk, type Ended, endOf, type RunOptions } from "./run-example.ts";

const isFine = { code: 0, stderr: "" };

/** Returns what a program prints that ends well. */
async function fine(run: Promise<Ended>): Promise<string> {
  const { stdout, ...end } = await run;
  expect(end).toEqual(isFine);
  return stdout;
}

/** A run of a program, what it prints, and how many generations are billed by then. */
type Row = readonly [program: string, prints: RegExp, charges: number, given?: Given];

interface Given extends RunOptions {
  readonly emulator?: EmulatorOptions;
  readonly faults?: readonly Fault[];
}

test.concurrent.for<Row>([
  ["home.ts", /path: 'out\/video-\w+-1\.mp4'/, 1],
  ["from-commonjs.cts", /^\[\s+'http[^']*\.mp4[^']*'\s+\]\n$/, 1],
  [
    "first-video.ts",
    /^task video-\w+\n(pending after \d+ ms\n)*succeeded after \d+ ms\n[^]*\nout\/video-\w+-1\.mp4: \d+ bytes of video\/mp4\n$/,
    1,
  ],
  [
    "many-images.ts",
    /^(?=[^]*4 images of one task\na fox in the snow: Error: imgmodelv4: the limit of this run is reached)[^]*TaskFailedError: Task image-\w+ failed(?![^]*TaskFailedError)/,
    5,
    { faults: [{ fault: "taskFails", on: "generateImgmodelv4" }] },
  ],
  ["logging.ts", /^\{.*"type":"generated".*\}\n\{.*"type":"ended".*"state":"succeeded".*\}\n$/, 1],
  [
    "run-time-models.ts",
    /^video vidmodelv2 requires \(not documented\)\n[^]*image imgmodelv4 requires prompt\n[^]*image task image-\w+\n$/,
    1,
  ],
  [
    "run-time-models.ts",
    /\nbatchsize must be [^]* 99\.[^]*\nprompt is missing\./,
    0,
    { args: ["imgmodelv4", '{ "batchsize": 99 }'] },
  ],
  [
    "form-schema.ts",
    /^video-\w+\nratio must be [^\n]*\nduration is not a known field\.[^\n]*\n$/,
    1,
  ],
  ["http-client.ts", /^200 video-\w+ \[/, 1],
  ["with-the-emulator.test.ts", /pass 6\n[^]*fail 0\n/, 0, { args: ["--test-reporter=tap"] }],
  [
    "waiting.ts",
    /^Task video-\w+ was not finished after 0.001 s\.[^]*\nTask video-\w+ failed: [^]*task_status: 3[^]*\nfailed\n[^]*\.mp4[^]*\n$/,
    2,
  ],
  ["queue-worker.ts", /^(order-[12]: succeeded\n){2}$/, 2],
  [
    "queue-worker.ts",
    /^order-1 is set aside, billed: no\. .+\norder-2 is set aside, billed: maybe\. .+\n$/,
    1,
    {
      faults: [
        { fault: "failure", on: "generate" },
        { fault: "emptyBody", on: "generate" },
      ],
    },
  ],
  ["errors.ts", /^billed, and finished: .*mp4/s, 1, { args: ["A fox"] }],
  ["errors.ts", /^not billed: vidmodelv2: prompt /, 0, { args: ["#".repeat(8193)] }],
  ["errors.ts", /^not billed: .*[Aa]dd credits/, 0, { args: ["A fox #credits"] }],
  ["errors.ts", /^billed: Task .* failed/, 1, { args: ["A fox #fail"] }],
  [
    "errors.ts",
    /^billed, wait again: Task /,
    1,
    { args: ["A fox #slow #slow"], emulator: { behaviour: { pendingMs: 3_600_000 } } },
  ],
  [
    "errors.ts",
    /^not billed: vidmodelv2: .*9999/,
    0,
    { faults: [{ fault: "failure", on: "generate" }] },
  ],
  [
    "errors.ts",
    /^perhaps billed: .*vidmodelv2/,
    1,
    { faults: [{ fault: "resetAfter", on: "generate" }] },
  ],
  [
    "errors.ts",
    /^not billed, try again later: /,
    0,
    { environment: { MEDIAGEN_BASE_URL: "http://127.0.0.1:1" } },
  ],
])("%s prints %s, and %d generations are billed", async ([program, prints, charges, given]) => {
  await using desk = await createDesk(given?.emulator);
  for (const fault of given?.faults ?? []) desk.emulator.next(fault);
  expect(await fine(desk.run(program, given))).toMatch(prints);
  expect(desk.emulator.charges).toHaveLength(charges);
  if (!given?.faults && !given?.emulator)
    expect(await desk.run(program, given)).toMatchObject(isFine);
});

test.concurrent("pays-twice pays twice if a response is lost, and readme once", async () => {
  await using desk = await createDesk();
  for (const [program, charges] of [
    ["pays-twice.ts", 2],
    ["readme.ts", 3],
  ] as const) {
    desk.emulator.next({ fault: "resetAfter", on: "generateVidmodelv2" });
    await desk.run(program);
    expect(desk.emulator.charges).toHaveLength(charges);
  }
  expect((await desk.run("readme.ts")).stderr).toContain("OutcomeUnknownError");
  expect(desk.emulator.charges).toHaveLength(3);
});

test.concurrent("ai-sdk makes two images and two videos, and pays for the one with a key once", async () => {
  await using desk = await createDesk();
  const { stdout } = await desk.run("ai-sdk.ts");
  expect(stdout).toMatch(
    /^billed: image-\w+\n(fox-[12]\.png is of task image-\w+\n){2}billed: video-\w+\nbilled: video-\w+\n(pending|completed)\n$/,
  );
  expect(await desk.files(".")).toEqual(
    expect.arrayContaining(["fox-1.png", "fox-2.png", "fox.mp4", "operation.json"]),
  );
  expect(desk.emulator.charges).toHaveLength(3);
  await desk.run("ai-sdk.ts");
  expect(desk.emulator.charges).toHaveLength(5);
});

test.concurrent("batch brings a directory of results, and run again pays for nothing", async () => {
  await using desk = await createDesk();
  const stdout = await fine(desk.run("batch.ts"));
  expect(stdout).toMatch(
    /^4 paid generations \{[^}]*imgmodelv4: \{ generations: 2, amount: 4, [^]*\n([\w-]+: succeeded .*\n){4}4 of 4 lines have results\n0 paid generations, 0 of them again\n$/,
  );
  const names = [
    "fox-1.png",
    "from-a-picture-1.mp4",
    "hare-1.png",
    "hare-2.png",
    "hare-3.png",
    "results.jsonl",
  ];
  expect(await desk.files("out")).toEqual(expect.arrayContaining(names));
  const again = await fine(desk.run("batch.ts"));
  expect(again).toBe("4 of 4 lines have results\n0 paid generations, 0 of them again\n");
  expect(desk.emulator.charges).toHaveLength(4);
});

test.concurrent("source-images sends each source as a file with its name and type, and URLs as text", async () => {
  await using desk = await createDesk();
  await writeFile(join(desk.directory, "source-images.ts"), "no image");
  const png = (await readFile(join(desk.directory, "first.png"))).toString("base64");
  // fileFrom takes data URIs as it takes URLs, which would need a public server.
  const environment = { IMAGE_URL: `data:image/png;base64,${png}` };
  const stdout = await fine(desk.run("source-images.ts", { environment }));
  expect(
    desk.emulator.tasks.map(({ files }) => files.map(({ name, type }) => `${name} ${type}`)),
  ).toEqual([
    ["first.png image/png"],
    ["first.png image/png", "last.png image/png"],
    ["fox.png image/png"],
    ["fox.png image/png"],
    [],
    ["file.png image/png"],
    ["file.png image/png"],
  ]);
  expect(desk.emulator.tasks[4]?.fields).toMatchObject({
    imageUrl: "https://example.com/first.png,https://example.com/last.png",
  });
  expect(stdout).toMatch(
    /^"http:\/\/169[^"]*" leads to this machine[^\n]*\n"no-such.png" cannot be read[^\n]*\n"source-images.ts" is not an image[^\n]*\n$/,
  );
});

test.concurrent("results brings a clip to disk, into memory, into a storage and to a visitor", async () => {
  await using desk = await createDesk();
  const stored: string[] = [];
  await using storage = await serve(async (request, response) => {
    const { length } = Buffer.concat(await request.toArray());
    stored.push(`${request.method} ${request.url} ${request.headers["content-type"]} ${length}`);
    response.end();
  });
  const stdout = await fine(
    desk.run("results.ts", { environment: { STORAGE_URL: storage.baseUrl } }),
  );
  const [, bytes = ""] = /(\d+) of \1 bytes\n/.exec(stdout) ?? [];
  expect(stdout).toMatch(
    new RegExp(
      `video-\\w+-1\\.mp4 video/mp4 [0-9a-f]{64}'\\n\\]\nvideo/mp4 ${bytes}\nvideo/mp4 ${bytes}\n$`,
    ),
  );
  expect(stored).toEqual([`PUT /${desk.emulator.tasks[0]?.taskid}-1 video/mp4 ${bytes}`]);
});

test.concurrent("submit and collect share nothing but files: each run of collect looks once and brings what is done", async () => {
  await using desk = await createDesk({ clock: "manual" });
  desk.emulator.next({ fault: "taskFails" });
  expect(await desk.run("submit.ts")).toMatchObject(isFine);
  expect(await fine(desk.run("collect.ts"))).toMatch(/^(video-\w+ is pending\n){2}$/);
  desk.emulator.clock.advance("1h");
  desk.emulator.next({ fault: "wrongCode", on: "query", times: 1 });
  expect((await desk.run("collect.ts")).stdout).toMatch(/ServiceError: queryVideoTask/);
  expect(await desk.files("tasks")).toHaveLength(1);
  expect(await desk.run("collect.ts")).toMatchObject(isFine);
  expect(await desk.files("tasks")).toEqual([]);
  expect([await desk.files("out"), await desk.files("failed")]).toEqual([
    [expect.stringMatching(/\.mp4$/)],
    [expect.stringMatching(/\.json$/)],
  ]);
  expect(desk.emulator.charges).toHaveLength(2);
});

test.concurrent("paid-once is paid once, also if its response is lost: recover lists it and resolves it", async () => {
  await using desk = await createDesk();
  desk.emulator.next({ fault: "resetAfter", on: "generate" });
  const lost = await desk.run("paid-once.ts");
  expect(lost).toMatchObject({
    ...isFine,
    stdout: expect.stringMatching(/^order-42 may have been billed/),
  });
  expect((await desk.run("paid-once.ts")).stdout).toBe(lost.stdout);

  const [, id = "", attempt = ""] = /resolve (\S+) (\S+)/.exec(lost.stdout) ?? [];
  expect((await desk.run("recover.ts")).stdout).toContain(
    `unknown: ${id} ${attempt}, vidmodelv2 for order-42 at 20`,
  );
  const [found] = desk.emulator.tasks;
  const resolved = await desk.run("recover.ts", { args: [id, attempt, found?.taskid ?? ""] });
  expect(resolved.stdout).toBe(`${found?.taskid}: out/${found?.taskid}-1.mp4\n`);

  expect((await desk.run("paid-once.ts")).stdout).toBe(
    `order-42 is ${found?.taskid}, out/${found?.taskid}-1.mp4\n`,
  );
  expect(desk.emulator.charges).toHaveLength(1);
});

test.concurrent("lost-response finds the task of its lost response, in each run its own", async () => {
  await using desk = await createDesk();
  for (const run of [1, 2]) {
    const stdout = await fine(desk.run("lost-response.ts"));
    const { taskid } =
      desk.emulator.tasks.find(({ prompt }) => prompt.endsWith(`${/order-\d+/.exec(stdout)}`)) ??
      {};
    expect(stdout).toMatch(
      new RegExp(
        `^lost: vidmodelv2fast of 20.*\nOutcomeUnknownError\nfound: ${taskid}\norder-\\d+ is ${taskid}, billed once\n$`,
      ),
    );
    expect(desk.emulator.charges).toHaveLength(run);
  }
});

test.concurrent("own-store records a key in a table, for processes that run at once", async () => {
  await using desk = await createDesk();
  const runs = await Promise.all([1, 2, 3].map(() => desk.run("own-store.ts")));
  const prints = new RegExp(
    `^order-43 is ${desk.emulator.tasks[0]?.taskid}\nthe store passes\nDurability: [^]*Expiry: `,
  );
  for (const { code, stdout } of runs)
    expect([code, stdout]).toEqual([0, expect.stringMatching(prints)]);
  expect(desk.emulator.charges).toHaveLength(1);
});

test.concurrent("with-prism gets the spec's examples, and the outcome that it requests", async () => {
  await using desk = await createDesk();
  const mock = await startMock(await readFile(specFile, "utf8"));
  const run = desk.run("with-prism.ts", { environment: { MOCK_URL: mock.baseUrl } });
  const stdout = await fine(run).finally(() => mock.close());
  expect(stdout).toMatch(/^vt-\S+ \[[^]*\.mp4'[^]*\]\ntrue\n$/);
});

test.concurrent("frameworks/express-server generates for a user who is signed in", async () => {
  await using desk = await createDesk();
  const environment = {
    USERS: '{ "token-of-ann": "ann" }',
    PROXY_SECRET: "s".repeat(32),
    PORT: "0",
  };
  const server = desk.start("frameworks/express-server.ts", { environment });
  const [printed] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  const url = `http://127.0.0.1:${/port: (\d+)/.exec(printed)?.[1]}/api/media/v1/video/vidmodelv2`;
  const body = new FormData();
  body.set("prompt", "A fox");
  const headers = { authorization: "Bearer token-of-ann" };
  const posted = await fetch(url, { method: "POST", headers, body });
  expect([posted.status, await posted.text()]).toEqual([
    200,
    expect.stringMatching(/"taskid":"video-\w+\.[\w-]{43}"/),
  ]);
  expect((await fetch(url, { method: "POST", body })).status).toBe(401);
  expect(desk.emulator.charges).toHaveLength(1);
});

test.concurrent("abort-and-delete: before sending nothing is billed, while sending perhaps, and a wait's task goes on", async () => {
  await using desk = await createDesk();
  desk.emulator.next({ fault: "hang", on: "generate" });
  const program = desk.start("abort-and-delete.ts");
  const ended = endOf(program);
  await vi.waitFor(() => expect(desk.emulator.charges).toHaveLength(1), 10_000);
  program.kill("SIGINT");
  const { stdout, ...end } = await ended;
  expect(end).toEqual(isFine);
  expect(stdout).toMatch(
    /^nothing was sent: the page was closed\nit had been sent: perhaps billed\nthe wait is over: TimeoutError.*\nthe task is not: http.*\.mp4.*\n\{ status: 'Success' \}\nServiceError: deleteImageTasks.*it-1.*\n$/,
  );
  expect(desk.emulator.charges).toHaveLength(2);
});

test.concurrent("proxies sends both its generations through the proxy", async () => {
  await using desk = await createDesk();
  await using proxy = await startProxy();
  const certificate = makeCertificate("localhost");
  await using service = await startService("", Buffer.of(), certificate);
  await writeFile(join(desk.directory, "ca.pem"), certificate.cert);
  const environment = {
    COMPANY_PROXY: proxy.url.replace("//", "//user:password@"),
    NODE_EXTRA_CA_CERTS: join(desk.directory, "ca.pem"),
    MEDIAGEN_BASE_URL: `https://localhost:${service.port}`,
    MEDIAGEN_API_KEY: "key",
  };
  const stdout = await fine(desk.run("proxies.ts", { environment }));
  expect(stdout).toBe("through the agent: t-1\nthrough undici: t-1\n");
  expect(proxy.credentials).toEqual(Array(2).fill(expect.stringMatching(/^basic /i)));
});

test.concurrent("certificates trusts its authority and shows its client certificate", async () => {
  await using desk = await createDesk();
  const server = makeCertificate("localhost");
  const client = makeCertificate("client");
  await using service = await startService("", Buffer.of(), {
    ...server,
    requestCert: true,
    ca: client.cert,
  });
  const files = {
    "company-ca.pem": server.cert,
    "client.pem": client.cert,
    "client-key.pem": client.key,
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(desk.directory, name), text);
  const environment = {
    MEDIAGEN_BASE_URL: `https://localhost:${service.port}`,
    MEDIAGEN_API_KEY: "key",
  };
  expect(await fine(desk.run("certificates.ts", { environment }))).toBe("t-1\n");
  expect(service.clients).toEqual(["test client"]);
});

test("every program of docs/examples is run by a test next to this one, or weekly", async () => {
  const tests = (await readAll("test/{docs,weekly/integrations}/*.ts")).map(({ text }) => text);
  const programs = (await readdir("docs/examples")).filter((name) => /\.c?ts$/.test(name));
  expect(programs.filter((name) => !tests.some((text) => text.includes(`${name}"`)))).toEqual([]);
});
