import { once } from "node:events";
import { createServer } from "node:net";
import { portOf } from "./serve.ts";

/** Returns a port of this machine that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await once(server.close(), "close");
  return port;
}
