import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findingsInThemes, themes } from "../accessibility.ts";
import { operations } from "../contract/cases.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

async function open(operation = "generateImgmodelv45", speed = "100", options = {}): Promise<Page> {
  const page = await site.tab(options);
  await page.goto(`${site.url}playground/#${operation}`);
  await page.locator("#bench[data-ready]").waitFor();
  await page.locator("#speed").selectOption(speed);
  return page;
}

const outcome = (page: Page) => page.locator(".outcome");
const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();
const succeeds = (page: Page) =>
  outcome(page).and(page.locator("[data-state=succeeded]")).locator(".results").waitFor();

test("every operation succeeds in the page: each form as it comes, then the query and the deletion of what was made", async () => {
  const page = await open();
  const kinds = Map.groupBy(operations, ({ tags: [tag] }) => tag);
  for (const [tag, ofKind] of kinds) {
    for (const { operationId } of ofKind.filter((one) => one.operationId.startsWith("generate"))) {
      await page.locator("#operation").selectOption(operationId);
      await send(page);
      await succeeds(page);
      const media = page.locator(tag === "Video" ? ".results video" : ".results img").first();
      const width = () =>
        media.evaluate((one: HTMLVideoElement | HTMLImageElement) =>
          "videoWidth" in one ? one.videoWidth : one.naturalWidth,
        );
      await expect.poll(width, { message: operationId }).toBeGreaterThan(100);
    }
    const sendsTo = async (verb: string, says: RegExp) => {
      const { operationId = "" } = ofKind.find((one) => one.operationId.startsWith(verb)) ?? {};
      await page.locator("#operation").selectOption(operationId);
      await send(page);
      await expect.poll(() => outcome(page).innerText()).toMatch(says);
    };
    await page.getByRole("button", { name: "Query it" }).click();
    await sendsTo("query", /The service responded\.[^]*"url": \[\s+"http/);
    await sendsTo("delete", /"status": "Success"/);
    await sendsTo("query", /^ServiceError\n/);
  }
});

test("Send keeps the focus, and sends nothing more while a task runs", async () => {
  const page = await open("generateVidmodelv2", "4");
  await page.getByRole("button", { name: "Send" }).focus();
  for (let press = 0; press < 2; press++) await page.keyboard.press("Enter");
  await succeeds(page);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("send");
  expect(await page.locator(".balance").innerText()).toBe("9,950 credits left");
});

/** Chooses what goes wrong from the menu. */
const spoil = (page: Page, fault: string) => page.locator("#fault").selectOption(fault);

describe("what goes wrong looks as it should", () => {
  test("the SDK's own message, and the code that handles it: for a lost response, a timeout, no credits, a failed task", async () => {
    const page = await open();
    await page.getByLabel("batchsize").fill("1");
    for (const [fault, name, code, charge] of [
      ["resetAfter", "OutcomeUnknownError", "perhaps billed", 5],
      ["hang", "OutcomeUnknownError", "perhaps billed", 5],
      ["insufficientCredits", "InsufficientCreditsError", "add credits", 0],
      ["taskFails", "TaskFailedError", "error.record", 5],
      ["waitTimeout", "WaitTimeoutError", "error.task", 5],
      ["failure", "ServiceError", "error.code", 0],
    ] as const) {
      const balance = () => page.locator(".balance").innerText();
      const before = Number((await balance()).replace(/\D/g, ""));
      await spoil(page, fault);
      await send(page);
      await expect.poll(() => page.locator(".said").innerText(), { message: fault }).toBe(name);
      expect(await page.locator(".message").innerText()).toMatch(/task|Task/);
      const shown = page.locator(".tabs .code").locator("visible=true");
      expect(await shown.innerText()).toContain(`if (!(error instanceof ${name})) throw error;`);
      expect(await shown.innerText()).toContain(code);
      await expect
        .poll(balance, { message: fault })
        .toBe(`${(before - charge).toLocaleString("en-GB")} credits left`);
    }
  });

  test("a broken bound shows at its field while it is typed, in the SDK's words, and nothing is sent", async () => {
    const page = await open();
    const size = page.getByLabel("resolution");
    await size.fill("1x1");
    expect(await size.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("#error-resolution").innerText()).toMatch(
      /^resolution must be one of /,
    );
    await page.getByLabel("batchsize").fill("many");
    expect(await page.locator("#error-batchsize").innerText()).toMatch(
      /^batchsize must be a whole number from \d+ to \d+, not "many"\.$/,
    );
    await send(page);
    expect(await outcome(page).innerText()).toMatch(/^InvalidRequestError\n[^]*Nothing was sent/);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("field-batchsize");
    expect(await page.locator(".balance").innerText()).toBe("10,000 credits left");
  });

  test("a wait that is stopped loses no task", async () => {
    const page = await open("generateVidmodelv2", "1");
    await send(page);
    await page.getByRole("button", { name: "Stop waiting" }).click();
    await expect.poll(() => outcome(page).innerText()).toContain("The task continues");
    await page.locator("#operation").selectOption("queryVideoTask");
    expect(await page.getByLabel("taskid").inputValue()).toMatch(/^video-/);
  });
});

test("each form begins as the sample of its operation: what the sample does not set is not sent", async () => {
  const page = await open("generateVidmodelv2");
  for (const { operationId } of operations.filter((one) =>
    one.operationId.startsWith("generate"),
  )) {
    await page.locator("#operation").selectOption(operationId);
    const twin = String(site.files.get(`api/${operationId}.md`));
    const [, sample = "none"] = /```ts tab="TypeScript"\n([^]*?)\n```/.exec(twin) ?? [];
    expect(await page.locator(".tabs code").first().innerText(), operationId).toBe(sample);
  }
});

test("the programs shown are those for what is filled in, files included, and are copied whole", async () => {
  const page = await open("generateVidmodelv2", "100", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByLabel("prompt").fill(`It's a "fox"`);
  await page.getByLabel("duration").selectOption("10");
  const png = {
    mimeType: "image/png",
    buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  };
  await page
    .getByLabel("sourceImage")
    .setInputFiles(["first.png", "last.png"].map((name) => ({ name, ...png })));
  const shown = page.locator(".tabs .code").locator("visible=true");
  await shown.getByRole("button", { name: "Copy" }).click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect
    .poll(clipboard)
    .toContain('sourceImage: [await fileFrom("first.png"), await fileFrom("last.png")],');
  expect(await clipboard()).toMatch(/prompt: "It's a \\"fox\\"",[^]*duration: 10,/);
  await page.locator(".tabs label", { hasText: "curl" }).click();
  expect(await shown.locator("code").innerText()).toMatch(
    /'prompt=It'\\''s a "fox"'[^]*sourceImage\.items=@"first\.png"/,
  );
  await send(page);
  await succeeds(page);
});

test("a link to the page has what is filled in and the fault; Back leads to the operation before", async () => {
  const page = await open("generateVidmodelv2", "4", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByLabel("prompt").fill("A fox & 100 %");
  await spoil(page, "cutBody");
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  const other = await site.tab();
  await other.goto(page.url());
  await other.locator("#bench[data-ready]").waitFor();
  expect(await other.locator("#operation").inputValue()).toBe("generateVidmodelv2");
  expect(await other.getByLabel("prompt").inputValue()).toBe("A fox & 100 %");
  expect(await other.locator("#fault").inputValue()).toBe("cutBody");
  await other.locator("#operation").selectOption("queryVideoTask");
  await other.goBack();
  await expect.poll(() => other.locator("#operation").inputValue()).toBe("generateVidmodelv2");
});

test("it has no accessibility finding, light or dark, empty, wrong or done, and fits a telephone", async () => {
  const page = await open("generateImgmodelv45", "100", {
    bypassCSP: true,
    viewport: { width: 390, height: 844 },
  });
  const look = async (looks = themes) => {
    expect(await findingsInThemes(page, looks)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  };
  await look(themes.slice(0, 1));
  await page.getByLabel("batchsize").fill("99");
  await send(page);
  await look();
  await page.getByLabel("batchsize").fill("3");
  await send(page);
  await succeeds(page);
  await look();
});
