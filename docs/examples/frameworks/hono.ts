import { Hono } from "hono";
import { mediaProxy } from "./media-proxy.ts";

export const app: Hono = new Hono();

app.post("/api/media/*", (c) => mediaProxy(c.req.raw));
