// One worker of the fleet on pg-boss, with times so short that a test can wait for them.
import pg from "pg";
import { PgBoss } from "pg-boss";
import { work } from "../../../docs/examples/fleet/pg-boss.ts";
import { postgresStore } from "@mediagen/stores/postgres";
import { createWorkerClient, readWorkerOptions } from "./worker.ts";

const { url, baseUrl, folder, perSecond, workers, deadAfterMs } = readWorkerOptions();
/** How often it is looked for dead workers: every 10 s if a worker counts as dead after 30. */
const seconds = Math.round(deadAfterMs / 3_000);
const pool = new pg.Pool({ connectionString: url });
const boss = new PgBoss({ connectionString: url, monitorIntervalSeconds: seconds, superviseIntervalSeconds: seconds });
boss.on("error", console.error);
await boss.start();
const options = { perSecond: perSecond / workers, creditsPauseMs: 0 };
await work(boss, createWorkerClient(baseUrl, postgresStore(pool)), folder, options);
process.send?.("at work");
