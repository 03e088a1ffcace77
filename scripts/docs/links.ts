import { posix } from "node:path";

/** Returns the broken links within the site, each with its file. */
export function checkLinks(files: ReadonlyMap<string, string | Uint8Array>): readonly string[] {
  const anchors = new Map(
    [...files].map(([name, content]) => [
      name,
      typeof content === "string" && name.endsWith(".html") ? idsIn(content) : new Set<string>(),
    ]),
  );
  const broken: string[] = [];
  for (const [name, content] of files) {
    if (typeof content !== "string" || !name.endsWith(".html") || name === "404.html") continue;
    for (const [, attribute = "", address = ""] of content.matchAll(/ (href|src|poster|data-src)="([^"]*)"/g)) {
      if (/^([a-z]+:|\/\/)/.test(address)) continue;
      const [path = "", anchor] = address.split("#");
      const target = path === "" ? name : fileAt(posix.join(posix.dirname(name), path));
      const asset = target.startsWith("assets/"); // Some are made after the pages; the browser tests see each of them load.
      if (!asset && !files.has(target)) broken.push(`${name}: ${attribute} ${address}`);
      else if (anchor && !isRoute(target, anchor) && !anchors.get(target)?.has(decodeURIComponent(anchor)))
        broken.push(`${name}: ${address} has no such anchor`);
    }
  }
  return broken;
}

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
}

function fileAt(path: string): string {
  return path.endsWith("/") ? (path === "./" ? "index.html" : `${path}index.html`) : path === "." ? "index.html" : path;
}

/** Whether a link is a route of Redoc or an operation of the playground. The browser tests open each of them. */
function isRoute(target: string, anchor: string): boolean {
  return (target === "api/redoc/index.html" && anchor.startsWith("/")) || target === "playground/index.html";
}
