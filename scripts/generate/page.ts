import { createHash } from "node:crypto";

/**
 * Returns a page as a string, because the emulator may run without a file system, with the hashes
 * for its policy.
 */
export function pageFile(html: string): string {
  const text = JSON.stringify(html).replaceAll("\\n", '\\n" +\n  "');
  return `/** The emulator's page. */\nexport const page: string = ${text};\n
/** The hashes of the page's script and style, for its Content-Security-Policy. */
export const scriptHash: string = "${hashOf(html, "script")}";
export const styleHash: string = "${hashOf(html, "style")}";\n`;
}

function hashOf(html: string, element: string): string {
  const [, content] = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, "s").exec(html) ?? [];
  if (content === undefined) throw new Error(`the page has no <${element}>`);
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
