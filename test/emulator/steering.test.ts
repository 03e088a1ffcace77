import { readFile } from "node:fs/promises";
import { InsufficientCreditsError, OutcomeUnknownError } from "@mediagen/sdk";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { launchBrowser } from "../browser.ts";
import { openPage, type OpenPage } from "./open-page.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launchBrowser()));
afterAll(() => browser.close());

let open: OpenPage;
beforeEach(async () => void (open = await openPage(browser)));
afterEach(async () => {
  await open.close();
  expect(open.trouble).toEqual([]);
});

test("credits are read and set", async () => {
  const { emulator, page, look, text, video } = open;
  await video("A fox");
  await look();
  expect(await page.getByRole("region", { name: "Credits" }).innerText()).toMatch(/9,950\s+1 generation billed/);
  await page.getByLabel("Set to").fill("49");
  await page.keyboard.press("Enter");
  await expect.poll(() => text("#credits")).toBe("49");
  expect(emulator.credits).toBe(49);
  await expect(video("A fox")).rejects.toBeInstanceOf(InsufficientCreditsError);
});

test("the clock is read and moved on, by buttons and by text", async () => {
  const { page, text } = open;
  expect(await page.getByRole("region", { name: "Clock" }).innerText()).toContain(
    "2026-01-01 00:00:00\n\nAdvances only by hand.",
  );
  await page.getByRole("region", { name: "Clock" }).getByRole("button", { name: "+10 s" }).click();
  await expect.poll(() => text("#now")).toBe("2026-01-01 00:00:10");
  await page.getByLabel("Advance by").fill("36h");
  await page.getByRole("region", { name: "Clock" }).getByRole("button", { name: "Advance" }).click();
  await expect.poll(() => text("#now")).toBe("2026-01-02 12:00:10");
  await expect.poll(() => page.getByLabel("Advance by").inputValue()).toBe("");
});

test("a fault from the form hits the next call that it fits", async () => {
  const { page, look, texts, image } = open;
  const faults = page.getByRole("region", { name: "Faults" });
  await faults.getByRole("combobox", { name: "Fault" }).selectOption("serverError");
  await faults.getByLabel("Where").selectOption("generate");
  await faults.getByRole("button", { name: "Inject" }).click();
  await expect.poll(() => texts("#fault-list li")).toEqual(["serverError · on generate · 1 time"]);
  await expect(image("A fox")).rejects.toBeInstanceOf(OutcomeUnknownError);
  await image("Another");
  await look();
  expect(await texts("#fault-list li")).toEqual([]);
  expect(await texts(".call .soft")).toEqual([
    expect.not.stringContaining("fault"),
    expect.stringContaining("fault serverError"),
  ]);
});

test("the snapshot is downloaded, and a reset needs a confirmation", async () => {
  const { emulator, page, look, text, image } = open;
  await image("A fox");
  await look();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download snapshot").click()]);
  expect(download.suggestedFilename()).toBe("mediagen-emulator.json");
  expect(JSON.parse(await readFile(await download.path(), "utf8"))).toEqual(
    JSON.parse(JSON.stringify(emulator.snapshot())),
  );
  await page.getByRole("button", { name: "Reset…" }).click();
  expect(emulator.tasks).toHaveLength(1);
  await page.keyboard.press("Tab"); // to the button that confirms
  await page.keyboard.press("Enter");
  await expect.poll(() => text("#said")).toBe("The emulator was reset.");
  expect(emulator.tasks).toHaveLength(0);
  await expect.poll(() => page.locator(".task, .call, #sure:popover-open").count()).toBe(0);
});
