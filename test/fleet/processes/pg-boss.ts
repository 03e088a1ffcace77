// One worker of the fleet on pg-boss, with times so short that a test can wait for them.
import { PgBoss } from "pg-boss";
import { work } from "../../../docs/examples/fleet/pg-boss.ts";
import { createWorkerClient, readWorkerOptions } from "./worker.ts";

const { url, baseUrl, folder, perSecond, workers } = readWorkerOptions();
const boss = new PgBoss({ connectionString: url, monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 });
boss.on("error", console.error);
await boss.start();
await work(boss, createWorkerClient(baseUrl), folder, { perSecond: perSecond / workers });
process.send?.("at work");
