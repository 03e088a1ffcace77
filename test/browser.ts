import { copyFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";
import { chromium, type Browser, type Page } from "playwright-core";
import { madeOnce } from "./made-once.ts";

const cache = resolve("node_modules/.cache");

/**
 * A headless Chromium that reaches this machine only. `CHROMIUM_PATH` names another than the one
 * from npm.
 */
export async function launchBrowser(): Promise<Browser> {
  // A workflow sets it empty where there is none to name.
  const given = process.env["CHROMIUM_PATH"] || undefined;
  const directory = given ? cache : await unpack();
  const libraries = [join(directory, "al2023/lib"), process.env["LD_LIBRARY_PATH"]]
    .filter(Boolean)
    .join(":");
  return chromium.launch({
    executablePath: given ?? join(directory, "chromium"),
    // Playwright's own flags turn off what a browser does in the background.
    args: [
      // The exception is the domain of an attacker whose DNS leads to this machine.
      "--host-resolver-rules=MAP *.rebound.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      "--disable-domain-reliability",
      "--no-pings",
      "--autoplay-policy=no-user-gesture-required",
    ],
    ...(given
      ? {}
      : {
          env: {
            ...process.env,
            LD_LIBRARY_PATH: libraries,
            FONTCONFIG_FILE: join(directory, "fonts.conf"),
          },
        }),
  });
}

/**
 * Unpacks the browser with its libraries and fonts, and adds the monospace font that it lacks:
 * without one, code is narrower than readers see it. The package's own way is to one place in /tmp,
 * where two test files would write to the same file.
 */
function unpack(): Promise<string> {
  const directory = join(cache, "chromium-with-fonts");
  const archive = (name: string) =>
    fileURLToPath(new URL(`../bin/${name}`, import.meta.resolve("@sparticuz/chromium")));
  return madeOnce(directory, async (part) => {
    const temporary = process.env["TMPDIR"];
    process.env["TMPDIR"] = part; // where `inflate` unpacks to
    const unpacked = ["chromium.br", "fonts.tar.br", "al2023.tar.br"].map((name) =>
      inflate(archive(name)),
    );
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
    await Promise.all(unpacked);
    const mono = fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf"));
    await copyFile(mono, join(part, "fonts/DejaVuSansMono.ttf"));
    const fonts = `${directory}/fonts`;
    const config = `<fontconfig><dir>${fonts}</dir><cachedir>${fonts}</cachedir></fontconfig>`;
    await writeFile(join(part, "fonts.conf"), config);
  });
}

/**
 * Collects what no page may do: errors, messages, failed requests, and requests to another place.
 */
export function watch(page: Page, place: string, trouble: string[]): void {
  const isOwn = (url: string) => /^(data|blob):/.test(url) || url.startsWith(place);
  page.on("pageerror", ({ message }) => trouble.push(`${page.url()}: ${message}`));
  page.on("console", (message) => trouble.push(`${page.url()}: ${message.text()}`));
  page.on(
    "response",
    (response) =>
      void (response.status() < 400 || trouble.push(`${response.url()} is ${response.status()}`)),
  );
  page.on(
    "request",
    (request) => void (isOwn(request.url()) || trouble.push(`requests ${request.url()}`)),
  );
}
