import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import sirv from "sirv";

/**
 * Serves the site in `directory` on the loopback as a static host would, with the headers of its
 * `_headers`.
 */
export async function serveSite(directory: string, port = 0) {
  const read = (name: string) => readFileSync(join(directory, name), "utf8");
  const headers = new Headers();
  for (const [, name = "", value = ""] of read("_headers").matchAll(/^ +([^:]+): (.*)$/gm))
    headers.set(name, value);
  const notFound = read("404.html");
  const files = sirv(directory, {
    onNoMatch: (_, response) =>
      response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(notFound),
  });
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    response.setHeaders(headers);
    if (/\/[^./]+$/.test(path)) response.writeHead(301, { location: `${path}/` }).end();
    else files(request, response);
  });
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", resolve),
  );
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no address");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
