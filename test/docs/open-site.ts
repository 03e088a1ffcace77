import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { serveSite } from "../../scripts/docs/serve.ts";
import { launchBrowser, watch } from "../browser.ts";
import { builtSite, filesOf } from "./built-site.ts";

/** The site in a browser. */
export interface OpenSite {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly url: string;
  /** Opens a tab, and notes in `trouble` whatever it does that no page of the site may. */
  tab(options?: BrowserContextOptions): Promise<Page>;
  /** A test takes out what it provokes. */
  readonly trouble: string[];
}

/**
 * Serves the built site and launches a browser for the tests of a file; after each, there was no
 * trouble.
 */
export function useSite(): OpenSite {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serveSite>>;
  let files: ReadonlyMap<string, Buffer>;
  const trouble: string[] = [];
  beforeAll(async () => {
    const directory = await builtSite();
    [browser, server, files] = await Promise.all([
      launchBrowser(),
      serveSite(directory),
      filesOf(directory),
    ]);
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    expect(trouble.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return {
    trouble,
    get files() {
      return files;
    },
    get url() {
      return server.url;
    },
    async tab(options) {
      // Clips that play cost more than what is tested.
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      watch(page, server.url, trouble);
      await page.addInitScript(() =>
        document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
          console.error(`policy: ${violatedDirective} ${blockedURI}`),
        ),
      );
      return page;
    },
  };
}
