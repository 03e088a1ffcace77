import { timingSafeEqual } from "node:crypto";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import express, { type RequestHandler } from "express";
import { Redis } from "ioredis";
import { openQueues } from "./bullmq.ts";
import { readSettings } from "./settings.ts";

// `node dashboard.ts` serves bull-board, with the queues and their jobs, to read. Jobs show prompts, so it has a login unless it is
// for this machine alone.
const { queueUrl, host, port } = readSettings();
const password = process.env["DASHBOARD_PASSWORD"] ?? "";
if (password === "" && host !== "127.0.0.1") {
  console.error(`Set DASHBOARD_PASSWORD: the dashboard shows prompts, and HOST is ${host}.`);
  process.exit(2);
}
const redis = new Redis(queueUrl, { maxRetriesPerRequest: null });
const serverAdapter = new ExpressAdapter();
const queues = Object.values(openQueues(redis)).map((queue) => new BullMQAdapter(queue, { readOnlyMode: true }));
createBullBoard({ queues, serverAdapter });

/** Asks for the user "admin" and the password. */
const login: RequestHandler = (request, response, next) => {
  const wanted = Buffer.from(`Basic ${Buffer.from(`admin:${password}`).toString("base64")}`);
  const given = Buffer.from(request.headers.authorization ?? "");
  const isRight = given.length === wanted.length && timingSafeEqual(given, wanted);
  if (password === "" || isRight) return next();
  response.status(401).set("www-authenticate", 'Basic realm="queues"').end();
};
const server = express()
  .use(login, serverAdapter.getRouter())
  .listen(port, host, () => console.log(`bull-board on http://${host}:${port}`));
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, () => {
    server.closeAllConnections();
    server.close();
    redis.disconnect();
  });
}
