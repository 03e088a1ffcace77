import { posix } from "node:path";

/** Returns the broken links within the site, each with its file. */
export function checkLinks(files: ReadonlyMap<string, string | Uint8Array>): readonly string[] {
  const pages = [...files].flatMap(([name, html]) =>
    typeof html === "string" && name.endsWith(".html") ? [{ name, html }] : [],
  );
  const anchors = new Map(
    pages.map(({ name, html }) => [name, new Set(html.match(/(?<= id=")[^"]+/g))]),
  );
  const links = / (href|src|poster|data-src)="(?![a-z]+:|\/\/)([^"#]*)#?([^"]*)"/g;
  return pages.flatMap(({ name, html }) => {
    if (name === "404.html") return [];
    return [...html.matchAll(links)].flatMap(([, attribute = "", path = "", anchor = ""]) => {
      const target =
        path === ""
          ? name
          : posix.join(posix.dirname(name), path, path.endsWith("/") ? "index.html" : "");
      // Some are made after the pages; the browser tests see each of them load.
      if (target.startsWith("assets/")) return [];
      if (!files.has(target)) return [`${name}: ${attribute} ${path}`];
      // A route of Redoc or an operation of the playground. The browser tests open each of them.
      if (/^(api\/redoc\/index.html\/|playground\/index.html)/.test(`${target}${anchor}`))
        return [];
      const isThere = anchor === "" || anchors.get(target)?.has(decodeURIComponent(anchor));
      return isThere ? [] : [`${name}: ${path}#${anchor} has no such anchor`];
    });
  });
}
