import { readFile } from "node:fs/promises";
import { InsufficientCreditsError } from "@mediagen/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findingsIn, themes } from "../accessibility.ts";
import { durations } from "../contract/cases.ts";
import { launchBrowser } from "../browser.ts";
import { openPage, type OpenPage } from "./open-page.ts";

const longest = durations.at(-1) ?? expect.fail("vidmodelv2 makes videos of no length");
let browser: Browser;
beforeAll(async () => void (browser = await launchBrowser()));
afterAll(() => browser.close());

let open: OpenPage;
beforeEach(async () => void (open = await openPage(browser)));
afterEach(async () => {
  await open.close();
  expect(open.trouble).toEqual([]);
});

/** Many tasks in every state, calls of every colour, pending faults. */
async function fillUp({ emulator, media, baseUrl, image, video, look }: OpenPage): Promise<void> {
  await image("Done", { batchsize: 3 });
  await video("Done too", { generate_audio: true });
  await image("#fail");
  emulator.clock.advance("1h");
  await image("x".repeat(8000), {
    sourceImage: new File(["GIF89a"], `${"y".repeat(200)}.png`, { type: "image/png" }),
  });
  emulator.clock.advance("2s");
  await video("Waits");
  await media.image.query("z".repeat(300)).catch(() => undefined);
  await fetch(`${baseUrl}/v1/${"long".repeat(60)}`);
  emulator.next({ fault: "serverError", on: "queryVideoTask" });
  await media.video.query("any").catch(() => undefined);
  emulator.next({ fault: "unavailable", on: "deleteImageTasks", share: 0.5 });
  await look();
}

/** Shows or hides the page, as changing to another tab does. */
function see(page: Page, seen: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, !seen);
}

/** Plays a clip, and returns its metadata and the picture at each of these times. */
async function play(page: Page, address: string, times: readonly number[]) {
  const script = async ({ address, times }: { address: string; times: readonly number[] }) => {
    const video = Object.assign(document.createElement("video"), {
      muted: true,
      crossOrigin: "anonymous",
    });
    const happens = (name: string) =>
      new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener("error", () => reject(new Error(video.error?.message)), {
          once: true,
        });
      });
    const loaded = happens("loadedmetadata");
    video.src = address;
    await loaded;
    const context = new OffscreenCanvas(320, 320).getContext("2d", { willReadFrequently: true });
    const frames: { at: number; colours: number; picture: string }[] = [];
    for (const time of times) {
      // A seek ends before its frame can be drawn.
      const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      const sought = happens("seeked");
      video.currentTime = time;
      await Promise.all([sought, shown]);
      context?.drawImage(video, 0, 0, 320, 320);
      const pixels = new Uint32Array(
        context?.getImageData(0, 0, 320, 320).data.buffer ?? new ArrayBuffer(),
      );
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", pixels));
      frames.push({ at: video.currentTime, colours: new Set(pixels).size, picture: digest.join() });
    }
    const ended = happens("ended");
    video.currentTime = Math.max(0, video.duration - 0.5);
    await video.play();
    await ended;
    const stream = (video as HTMLVideoElement & { captureStream(): MediaStream }).captureStream();
    const { videoWidth: width, videoHeight: height, duration } = video;
    return { width, height, duration, sound: stream.getAudioTracks().length, frames };
  };
  return page.evaluate(script, { address, times });
}

describe("tasks", () => {
  test("appear when they are generated, move on with the clock, and end as picture and player", async () => {
    const { emulator, baseUrl, page, look, text, texts, image, video } = open;
    expect(await text("#no-tasks")).toContain(baseUrl);
    await image("A lighthouse at dusk", { batchsize: 2, resolution: "16:9" });
    await video("A fox runs through snow", { ratio: "1:1" });
    await look();
    expect(await texts(".task h3")).toEqual(["vidmodelv2", "imgmodelv45"]);
    expect(await texts(".task .prompt")).toEqual([
      "A fox runs through snow",
      "A lighthouse at dusk",
    ]);
    expect(await texts(".task .state")).toEqual(["pending, status 0", "pending, status 0"]);
    emulator.clock.advance("3s");
    await look();
    expect(await texts(".task .state")).toEqual(["running, status 1", "running, status 1"]);
    const progress = page.locator(".task progress");
    const shares = await progress.evaluateAll((all: HTMLProgressElement[]) =>
      all.map((one) => one.value),
    );
    expect(shares).toEqual([3 / 6, 3 / 4]);
    expect(await page.locator(".results > *").count()).toBe(0);
    emulator.clock.advance("3s");
    await look();
    expect(await texts(".task .state")).toEqual(["succeeded, status 2", "succeeded, status 2"]);
    expect(await progress.locator("visible=true").count()).toBe(0);
    const widths = () =>
      page
        .locator("img")
        .evaluateAll((all: HTMLImageElement[]) => all.map((one) => one.naturalWidth));
    await expect.poll(widths).toEqual([1024, 1024]);
    const length = () => page.locator("video").evaluate((one: HTMLVideoElement) => one.duration);
    await expect.poll(length).toBe(5);
  });

  test("that have not changed stay as they are: players continue, and forms keep their text and focus", async () => {
    const { emulator, page, look, image, video } = open;
    await video("A fox runs through snow", { duration: longest });
    emulator.clock.advance("1h");
    await look();
    await page.getByLabel("Advance by").fill("12 ho");
    const player = await page.locator("video").elementHandle();
    await player?.evaluate((one) => Object.assign(one as HTMLVideoElement, { muted: true }).play());
    await page.getByLabel("Set to").fill("77");
    // A player may request ranges again, but not start again.
    await player?.evaluate((one) => one.addEventListener("loadstart", () => one.remove()));
    await image("Another");
    emulator.clock.advance("1h");
    await look();
    await expect
      .poll(() => page.locator("img").evaluate((one: HTMLImageElement) => one.naturalWidth))
      .toBe(1024);
    const plays = await player?.evaluate((one) => {
      const { isConnected, paused, currentTime } = one as HTMLVideoElement;
      return isConnected && !paused && currentTime > 0;
    });
    expect(plays).toBe(true);
    expect(await page.getByLabel("Advance by").inputValue()).toBe("12 ho");
    expect(await page.getByLabel("Set to").inputValue()).toBe("77");
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe(
      "credits",
    );
  });

  test("show any prompt as text", async () => {
    const { emulator, baseUrl, page, look, text, image } = open;
    const prompt = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    await image(prompt, { category: prompt });
    emulator.clock.advance("1h");
    await look();
    expect(await text(".prompt")).toBe(prompt);
    expect(
      await page
        .locator("img")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-src"))),
    ).toEqual([expect.stringMatching(/^preview\//)]);
    const policy = (await fetch(`${baseUrl}/_emulator/`)).headers.get("content-security-policy");
    expect(policy).toMatch(/require-trusted-types-for 'script'/);
    expect(policy).not.toMatch(/unsafe|\*|http/);
  });
});

describe("calls", () => {
  test("are listed with their violations", async () => {
    const { emulator, baseUrl, look, text, texts, image } = open;
    const form = new FormData();
    form.set("prompt", "A fox");
    form.set("duration", "-7");
    const headers = { authorization: emulator.client.apiKey };
    await fetch(`${baseUrl}/v1/video/vidmodelv2`, { method: "POST", body: form, headers });
    const { taskid } = await image("A fox");
    await look();
    expect(await texts(".call code")).toEqual(["generateImgmodelv45", "generateVidmodelv2"]);
    expect(await texts(".call .answer")).toEqual(["200 · 1000", "200 · 9999"]);
    expect(await text(".call:nth-child(1)")).toContain(`created ${taskid}`);
    expect(await text(".call:nth-child(2) .violations")).toMatch(/^duration: /);
  });

  test("do not include those of the page, which meet no fault", async () => {
    const { emulator, page, look, texts, image } = open;
    await image("A fox");
    emulator.clock.advance("1h");
    emulator.next({ fault: "linkExpired" });
    await look();
    await expect
      .poll(() => page.locator("img").evaluate((one: HTMLImageElement) => one.naturalWidth))
      .toBe(1024);
    expect(emulator.calls.map(({ operation }) => operation)).toEqual(["generateImgmodelv45"]);
    expect(await texts("#fault-list li")).toEqual(["linkExpired · 1 time"]);
  });
});

describe("the page", () => {
  test("polls once a second, and only while it is visible", async () => {
    const { page, look } = open;
    let looks = 0;
    page.on("request", (request) => void (looks += Number(request.url().endsWith("/state"))));
    const timer = () => page.evaluate("timer");
    const before = await timer();
    await page.clock.runFor(1_000);
    await expect.poll(timer).not.toBe(before);
    expect(looks).toBe(1);
    await see(page, false);
    await page.clock.runFor(60_000);
    expect(looks).toBe(1);
    await look(); // as if a request was pending when the page was hidden
    await page.clock.runFor(60_000);
    expect(looks).toBe(2);
    await see(page, true);
    await expect.poll(() => looks).toBe(3);
  });

  test("is reached and used by keyboard alone", async () => {
    const { page, text } = open;
    await fillUp(open);
    const reachable = "a[href], button, input, select, summary, video, [tabindex='0']";
    const number = (nodes: Element[]) =>
      nodes.map((node, index) => {
        node.setAttribute("data-stop", String(index));
        return String(index);
      });
    const all = await page.locator(reachable).locator("visible=true").evaluateAll(number);
    expect(all.length).toBeGreaterThan(25);
    const reached = new Set<string>();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (let press = 0; press < all.length * 3 && reached.size < all.length; press++) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(() => document.activeElement?.getAttribute("data-stop") ?? "body"),
      );
      reached.delete("body");
    }
    expect([...reached].sort()).toEqual([...all].sort());
    await page
      .getByRole("region", { name: "Faults" })
      .getByRole("combobox", { name: "Fault" })
      .focus();
    await page.keyboard.type("taskF");
    for (let stop = 0; stop < 4; stop++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => text("#said")).toBe("taskFails will be injected.");
  });

  test("has no accessibility finding in either theme", async () => {
    const { page } = open;
    await fillUp(open);
    await page.getByText("Form and record").first().click();
    await page.clock.resume(); // axe waits on it
    for (const popover of [false, true]) {
      if (popover) await page.getByRole("button", { name: "Reset…" }).click();
      for (const { colorScheme, options } of themes) {
        await page.emulateMedia({ colorScheme });
        expect(
          await findingsIn(page, options),
          `${colorScheme}, with the popover open: ${popover}`,
        ).toEqual([]);
      }
    }
  });

  test("does not scroll sideways on a telephone, nor on a wide screen", async () => {
    const { page } = open;
    await fillUp(open);
    for (const summary of await page.getByText("Form and record").all()) await summary.click();
    const boxes = page.locator(".panel, .task, .task dl, .call");
    const cutOff = (all: Element[]) =>
      all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.outerHTML);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await boxes.evaluateAll(cutOff), `at a width of ${width} pixels`).toEqual([]);
    }
  });
});

test("the clock and the credits are shown and set", async () => {
  const { emulator, page, text, video } = open;
  expect(await page.getByRole("region", { name: "Clock" }).innerText()).toContain(
    "2026-01-01 00:00:00\n\nAdvances only by hand.",
  );
  await page.getByLabel("Advance by").fill("36h");
  await page
    .getByRole("region", { name: "Clock" })
    .getByRole("button", { name: "Advance" })
    .click();
  await expect.poll(() => text("#now")).toBe("2026-01-02 12:00:00");
  await page.getByLabel("Set to").fill("49");
  await page.keyboard.press("Enter");
  await expect.poll(() => text("#credits")).toBe("49");
  expect(emulator.credits).toBe(49);
  await expect(video("A fox")).rejects.toBeInstanceOf(InsufficientCreditsError);
});

test("the snapshot is downloaded, and a reset needs a confirmation", async () => {
  const { emulator, page, look, text, image } = open;
  await image("A fox");
  await look();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByText("Download snapshot").click(),
  ]);
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

describe("a clip plays to its end and seeks", () => {
  test.for([
    {
      form: { ratio: "16:9", generate_audio: true },
      width: 1280,
      height: 720,
      seconds: 5,
      sound: 1,
    },
    {
      form: { ratio: "3:4", fps: 12, duration: longest },
      width: 720,
      height: 960,
      seconds: longest,
      sound: 0,
    },
  ] as const)("$form as $width x $height", async ({ form, width, height, seconds, sound }) => {
    const { emulator, media, page, video } = open;
    const task = await video("A fox runs through snow", form);
    emulator.clock.advance("1h");
    const { url } = await media.video.query(task.taskid);
    const times = [0, 1.5, seconds - 0.1, 2.5];
    const played = await play(page, url?.[0] ?? "", times);
    expect(played).toMatchObject({ width, height, sound });
    expect(played.duration).toBeCloseTo(seconds, 2);
    expect(played.frames.map(({ at }) => at)).toEqual(times);
    for (const { colours } of played.frames) expect(colours).toBeGreaterThan(8);
    expect(new Set(played.frames.map(({ picture }) => picture)).size).toBe(times.length);
  });
});
