import { createEmulator, listen, type EmulatorServer } from "@mediagen/emulator/node";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { durations } from "../contract/cases.ts";
import { launchBrowser } from "../browser.ts";

const emulator = createEmulator({ clock: "manual", credits: 1e6 });
const longest = durations.at(-1) ?? expect.fail("vidmodelv2 makes videos of no length");
let server: EmulatorServer;
let browser: Browser;
let page: Page;
let media: MediaGen;
beforeAll(async () => {
  server = await listen(emulator);
  media = createMediaGen({ baseUrl: server.baseUrl, apiKey: emulator.client.apiKey, statuses: emulator.statuses });
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.goto(`${server.baseUrl}/_emulator/state`); // any page of this origin
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Plays a clip, and returns its metadata and the picture at each of these times. */
async function play(address: string, times: readonly number[]) {
  const script = async ({ address, times }: { address: string; times: readonly number[] }) => {
    const video = Object.assign(document.createElement("video"), { muted: true, crossOrigin: "anonymous" });
    const happens = (name: string) =>
      new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener("error", () => reject(new Error(video.error?.message)), { once: true });
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
      const pixels = new Uint32Array(context?.getImageData(0, 0, 320, 320).data.buffer ?? new ArrayBuffer());
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

describe("a clip plays to its end and seeks", () => {
  test.for([
    { form: { ratio: "16:9", generate_audio: true }, width: 1280, height: 720, seconds: 5, sound: 1 },
    { form: { ratio: "3:4", fps: 12, duration: longest }, width: 720, height: 960, seconds: longest, sound: 0 },
  ] as const)("$form as $width x $height", async ({ form, width, height, seconds, sound }) => {
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow", ...form });
    emulator.clock.advance("1h");
    const { url } = await media.video.query(task.taskid);
    const times = [0, 1.5, seconds - 0.1, 2.5];
    const played = await play(url?.[0] ?? "", times);
    expect(played).toMatchObject({ width, height, sound });
    expect(played.duration).toBeCloseTo(seconds, 2);
    expect(played.frames.map(({ at }) => at)).toEqual(times);
    for (const { colours } of played.frames) expect(colours).toBeGreaterThan(8);
    expect(new Set(played.frames.map(({ picture }) => picture)).size).toBe(times.length);
  });
});
