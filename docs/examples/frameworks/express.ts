import express, { type Express } from "express";
import { Readable } from "node:stream";
import { mediaProxy } from "./media-proxy.ts";

export const app: Express = express();

// Express has its own request and response. Mount it before any middleware that
// reads bodies.
app.post("/api/media/*path", async (incoming, outgoing) => {
  const url = new URL(
    incoming.originalUrl,
    `${incoming.protocol}://${incoming.headers.host}`,
  );
  const headers = Object.entries(incoming.headers).map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  const init = {
    method: "POST",
    headers,
    body: Readable.toWeb(incoming),
    duplex: "half",
  };
  // The cast: Node's types of a request body are older than streams in it.
  const response = await mediaProxy(new Request(url, init as RequestInit));
  outgoing
    .status(response.status)
    .set(Object.fromEntries(response.headers))
    .send(await response.text());
});
