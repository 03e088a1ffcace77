import { Hono } from "hono";
import { accountOf } from "./accounts.ts";
import { bodyOf, readVideo, signedOut, startVideo, toResponse } from "./videos.ts";

export const app: Hono = new Hono();

app.post("/videos/:id", async (c) => {
  const account = accountOf(c.req.header("authorization"));
  return toResponse(account ? await startVideo(account, c.req.param("id"), await bodyOf(c.req.raw)) : signedOut);
});

app.get("/videos/:id", async (c) => {
  const account = accountOf(c.req.header("authorization"));
  return toResponse(account ? await readVideo(account, c.req.param("id")) : signedOut);
});
