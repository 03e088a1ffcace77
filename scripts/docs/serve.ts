import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** A running server of the site. */
export interface SiteServer {
  readonly url: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".yaml": "application/yaml; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "application/xml; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".mp4": "video/mp4",
};

/** Serves the site in `directory` on the loopback as a static host would, with the headers of its `_headers`. */
export async function serveSite(directory: string, port = 0): Promise<SiteServer> {
  const rules = readHeaders(readFileSync(join(directory, "_headers"), "utf8"));
  const server = createServer(({ url = "/", method }, response) => {
    const pathname = decodeURIComponent(new URL(url, "http://localhost").pathname);
    for (const { pattern, headers } of rules)
      if (pattern.test(pathname)) for (const [name, value] of headers) response.setHeader(name, value);
    const path = join(directory, normalize(pathname));
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    if (isFolder && !pathname.endsWith("/")) return void response.writeHead(301, { location: `${pathname}/` }).end();
    const wanted = isFolder ? join(path, "index.html") : path;
    const found = !pathname.startsWith("/_") && existsSync(wanted);
    const file = found ? wanted : join(directory, "404.html");
    response.writeHead(found ? 200 : 404, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "content-length": statSync(file).size,
    });
    if (method === "HEAD") response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no address");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}

/** The rules of a `_headers` file: a pattern at the margin, and below it its headers, indented. */
function readHeaders(text: string): { readonly pattern: RegExp; readonly headers: [string, string][] }[] {
  const rules: { readonly pattern: RegExp; readonly headers: [string, string][] }[] = [];
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^\s+([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (name) rules.at(-1)?.headers.push([name, value]);
    else if (line.startsWith("/"))
      rules.push({
        pattern: new RegExp(
          `^${line
            .trim()
            .replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&")
            .replace("*", ".*")}$`,
        ),
        headers: [],
      });
  }
  return rules;
}
