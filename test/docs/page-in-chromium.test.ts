import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import { launchBrowser } from "../browser.ts";
import { serve } from "../serve.ts";

const page = `<!doctype html><title>Clips</title>
  <form><input name="prompt" value="A fox"><button>Generate</button></form><output></output><video></video>
  <script type="module" src="/page.js"></script>`;

/** What a page of the example does with its form: one order until its clip is there. */
const script = `
  import { createPageClient, showClip } from "./docs/examples/frameworks/page.ts";
  const [form, output, video] = ["form", "output", "video"].map((name) => document.querySelector(name));
  const media = createPageClient("token-of-ann");
  const order = crypto.randomUUID();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.value = "";
    output.value = await showClip(media, order, new FormData(form).get("prompt"), video).then(() => "done", ({ name }) => name);
  });`;

test("in Chromium, a form whose responses are lost is paid once", async () => {
  const directory = await mkdtemp(join(tmpdir(), "page-"));
  const emulator = createEmulator({ clock: { speed: 1_000 } });
  const service = await listen(emulator);
  const environment = {
    MEDIAGEN_BASE_URL: service.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    PROXY_SECRET: "0123456789abcdef0123456789abcdef",
    USERS: '{ "token-of-ann": "ann" }',
    STORE_DIRECTORY: join(directory, "generations"),
    QUOTA_FILE: join(directory, "quota.sqlite"),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { app } = await import("../../docs/examples/frameworks/express.ts");
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: resolve(".") },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const keys: unknown[] = [];
  await using server = await serve((request, response) => {
    if (request.method === "GET" && request.url === "/page.js")
      return response.setHeader("content-type", "text/javascript").end(outputFiles[0]?.text);
    if (request.method === "GET") return response.setHeader("content-type", "text/html").end(page);
    if (isGeneration(request) && keys.push(request.headers["idempotency-key"]) <= 2) lose(response);
    return app(request, response);
  });
  await using browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(server.baseUrl);
    const press = async () => {
      await tab.click("button");
      await tab.waitForFunction('document.querySelector("output").value !== ""');
      return tab.evaluate<string>('document.querySelector("output").value');
    };
    const outcomes = [await press()];
    while (outcomes.at(-1) === "OutcomeUnknownError") outcomes.push(await press());
    expect(outcomes.at(-1)).toBe("done");
    expect(await tab.evaluate<string>('document.querySelector("video").src')).toMatch(/^http/);
    // Chromium has resent it by itself, or the user has.
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(emulator.charges).toHaveLength(1);
    expect(await tab.content()).not.toContain(emulator.client.apiKey);
  } finally {
    await service.close();
    await rm(directory, { recursive: true });
  }
});

function isGeneration({ method, url = "" }: IncomingMessage): boolean {
  return method === "POST" && !url.endsWith("/infobytaskid");
}

/** Breaks the connection where the response would begin. */
function lose(response: ServerResponse): void {
  response.end = () => (response.socket?.destroy(), response);
}
