import { createHash } from "node:crypto";

/** A page as a string, because where the emulator runs there may be no file system; and what its policy lets run on it. */
export function pageFile(html: string): string {
  const text = JSON.stringify(html).replaceAll("\\n", '\\n" +\n  "');
  return `/** The emulator's page. */\nexport const page: string = ${text};\n
/** What a Content-Security-Policy calls the page's script and its style. */
export const scriptHash: string = "${hashOf(html, "script")}";
export const styleHash: string = "${hashOf(html, "style")}";\n`;
}

function hashOf(html: string, element: string): string {
  const [, content] = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, "s").exec(html) ?? [];
  if (content === undefined) throw new Error(`the page has no <${element}>`);
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
