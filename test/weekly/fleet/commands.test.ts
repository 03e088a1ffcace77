import { expect, test } from "vitest";
import type { Order } from "./out/fleet.ts";
import { serve } from "../../serve.ts";
import { createDeployment, createOrders } from "./deployment.ts";
import { startPostgres, startRedis } from "./servers.ts";

const long = { timeout: 60_000 };
const [first] = createOrders(1) as [Order];
const notDone = (text: string) => [
  2,
  expect.objectContaining({ event: "notDone", message: expect.stringContaining(text) }),
];

test("servers that may lose what they confirm, a missing key and wrong settings end with 2 and one line", async () => {
  await using fleet = await createDeployment("pg-boss");
  for (const off of ["synchronous_commit", "fsync"]) {
    await using lossy = await startPostgres([`${off}=off`]);
    expect(await fleet.startInVain({ DATABASE_URL: lossy.url })).toEqual(notDone(`${off} is off`));
    await (
      await fleet.startWorker({ DATABASE_URL: lossy.url, ALLOW_VOLATILE_STORE: "true" })
    ).end();
  }
  for (const options of ["--appendonly no", "--appendonly yes --maxmemory-policy allkeys-lru"]) {
    await using lossy = await startRedis(options.split(" "));
    expect(await fleet.startInVain({ REDIS_URL: lossy.url })).toEqual(
      notDone("Redis may lose jobs"),
    );
    await (await fleet.startWorker({ REDIS_URL: lossy.url, ALLOW_VOLATILE_STORE: "true" })).end();
  }
  for (const [wrong, text] of [
    [{ MEDIAGEN_API_KEY_FILE: "" }, "MEDIAGEN_API_KEY is missing"],
    [{ MEDIAGEN_API_KEY_FILE: "no-key" }, "no such file or directory, open 'no-key'"],
    [{ MEDIAGEN_API_KEY_FILE: "." }, "EISDIR"],
    [{ DATABASE_URL: `${fleet.postgres.url}-none` }, 'database "postgres-none" does not exist'],
    [{ RESULTS: "key/out" }, "not a directory, mkdir 'key/out'"],
    [{ DATABASE_URL: `${fleet.postgres.url}?options=-c` }, "DATABASE_URL is not valid"],
    [{ DATABASE_URL: "postgres://media:secret@[/postgres" }, "DATABASE_URL is not valid"],
  ] as const)
    expect(await fleet.startInVain(wrong)).toEqual(notDone(text));
  const wrongUrl = { DATABASE_URL: "mysql://user:secret@127.0.0.1" };
  const env = {
    PER_SECOND: "many",
    PORT: "80.5",
    ALLOW_HTTP: "yes",
    PREFIX: "A",
    RESULTS: "s3://bucket",
    ...wrongUrl,
  };
  const [code, line] = await fleet.startInVain(env);
  expect([code, line?.["message"]]).toMatchInlineSnapshot(`
    [
      2,
      "DATABASE_URL is not valid. Use a postgres:// URL without options. PREFIX is not valid. Use up to 40 lower-case letters, digits and "_". ALLOW_HTTP is not valid. Use false or true. RESULTS is not valid. Use a directory, or an http or https URL. PER_SECOND "many" is not valid. Use a number from 0.1 to 10000. PORT "80.5" is not valid. Use a whole number from 0 to 65535.",
    ]
  `);
  const bad = [
    first,
    { ...first, id: "../x" },
    { ...first, id: "17" },
    { ...first, form: { prompt: "another" } },
    ...[null, { model: first.model, form: first.form }],
    { id: "a", model: "imgmodelz", form: { prompt: "a fox", size: 1 } },
  ];
  const [status, said] = await fleet.run("submit", { input: JSON.stringify(bad) });
  expect([status, said?.["message"]]).toMatchInlineSnapshot(`
    [
      2,
      "../x: an id is 1 to 100 letters, digits, "-", "_" or ".", and no number. 17: an id is 1 to 100 letters, digits, "-", "_" or ".", and no number. order-0: two different orders have this id. undefined: an id is 1 to 100 letters, digits, "-", "_" or ".", and no number. undefined: model must be one of vidmodelv2, vidmodelv2fast, vidmodelv15pro, imgmodelv45, imgmodelv5, imgmodelv4, imgmodelz, not undefined.. undefined: an id is 1 to 100 letters, digits, "-", "_" or ".", and no number. a: size is not a known field. Use one of prompt, resolution, seed.. No order was added.",
    ]
  `);
  expect(await fleet.run("submit", { input: "[{" })).toEqual(
    notDone("Orders are a JSON array. No order was added."),
  );
  expect(await fleet.states()).toEqual({});
  await fleet.query(
    "create function lose() returns trigger language plpgsql as 'begin raise deadlock_detected; end'",
  );
  await fleet.query("create trigger lose before insert on orders execute function lose()");
  const [failed, why] = await fleet.run("submit", { input: JSON.stringify([first]) });
  expect([failed, why?.["message"]]).toEqual([
    1,
    expect.stringMatching(/deadlock.* Submit the same orders again/),
  ]);
});

test("forget deletes what ended long ago, in the store as well, and two prefixes share nothing", async () => {
  await using fleet = await createDeployment("pg-boss");
  const staging = { PREFIX: "staging" };
  await fleet.submit(createOrders(3));
  await fleet.run("submit", { env: staging, input: JSON.stringify([first]) });
  const worker = await fleet.startWorker();
  await expect.poll(() => fleet.states(), long).toEqual({ done: 3 });
  await worker.end();
  expect(await fleet.query("select state from staging.orders")).toEqual([{ state: "waiting" }]);
  const forget = async (age: string) => (await fleet.run(`forget --older-than ${age}`))[1];
  expect(await forget("1h")).toMatchObject({ entries: 0, outbox: 0, orders: 0 });
  await fleet.query(
    "update orders set touched_at = now() - interval '2 days', state = case id when 'order-2' then 'unknown' else state end",
  );
  await fleet.query("update outbox set at = now() - interval '2 days'");
  await fleet.query("update mediagen_generation_v1 set updated_at = updated_at - 2 * 86400000.0");
  expect(await forget("1d")).toMatchObject({ entries: 3, outbox: 3, orders: 2 });
  expect(await fleet.states()).toEqual({ unknown: 1 });
});

test("results are streamed to object storage", async () => {
  const stored = new Map<string, { readonly type: string | undefined; readonly bytes: number }>();
  await using storage = await serve(async (request, response) => {
    let bytes = 0;
    for await (const piece of request) bytes += (piece as Buffer).length;
    const isFirst = stored.size === 0 && request.headers["x-seen"] === undefined;
    stored.set(`${request.method} ${request.url}`, {
      type: request.headers["content-type"],
      bytes,
    });
    response.writeHead(isFirst ? 503 : 200).end(); // A step that throws runs again.
  });
  const url = `${storage.baseUrl}/bucket`;
  await using fleet = await createDeployment("pg-boss", { RESULTS: url });
  await fleet.submit([first]);
  const worker = await fleet.startWorker();
  await expect.poll(() => fleet.states(), long).toEqual({ done: 1 });
  await worker.end();
  expect([...stored]).toEqual([
    [
      `PUT /bucket/order-0/${fleet.emulator.tasks[0]?.taskid}-1`,
      { type: "image/png", bytes: expect.any(Number) },
    ],
  ]);
  expect([...stored.values()][0]?.bytes).toBeGreaterThan(60);
  const results = [`${url}/order-0/${fleet.emulator.tasks[0]?.taskid}-1`];
  expect(await fleet.run("show order-0")).toEqual([0, expect.objectContaining({ results })]);
});
