import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorOptions,
} from "@mediagen/emulator/node";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { watch } from "../browser.ts";

/** An emulator's page in a browser, and a client of the same emulator. */
export interface OpenPage {
  readonly emulator: Emulator;
  readonly media: MediaGen;
  readonly baseUrl: string;
  readonly page: Page;
  /** A test takes out what it provokes. */
  readonly trouble: string[];
  /** Makes the page look, as it does each second; its own clock is stopped. */
  look(): Promise<void>;
  /** The text of the first element, or of all. */
  text(selector: string): Promise<string | null>;
  texts(selector: string): Promise<string[]>;
  image(prompt: string, form?: object): Promise<{ readonly taskid: string }>;
  video(prompt: string, form?: object): Promise<{ readonly taskid: string }>;
  close(): Promise<void>;
}

/** Opens the page of a new emulator. */
export async function openPage(
  browser: Browser,
  options: EmulatorOptions = { clock: "manual" },
): Promise<OpenPage> {
  const emulator = createEmulator(options);
  const server = await listen(emulator);
  const { baseUrl } = server;
  const media = createMediaGen({
    baseUrl,
    apiKey: emulator.client.apiKey,
    statuses: emulator.statuses,
  });
  const page = await browser.newPage();
  const trouble: string[] = [];
  watch(page, baseUrl, trouble);
  const text = (selector: string) => page.locator(selector).first().textContent();
  await page.clock.install({ time: 0 });
  // A minute on: until it is paused, the clock goes on as this machine does.
  await page.clock.pauseAt(60_000);
  await page.goto(`${baseUrl}/_emulator`);
  await expect.poll(() => text("#link")).toBe("live");
  return {
    emulator,
    media,
    baseUrl,
    page,
    trouble,
    text,
    texts: (selector) => page.locator(selector).allTextContents(),
    look: () => page.evaluate("refresh()"),
    image: (prompt, form) => media.image.generate("imgmodelv45", { prompt, ...form }),
    video: (prompt, form) => media.video.generate("vidmodelv2", { prompt, ...form }),
    async close() {
      await page.close();
      await server.close();
    },
  };
}
