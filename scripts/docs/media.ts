import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { byKind, exampleOf, type Spec } from "../spec.ts";

/**
 * Generates the home page's clip with the emulator, and draws the preview card for links to the
 * site.
 */
export async function drawMedia(spec: Spec): Promise<Readonly<Record<string, Uint8Array>>> {
  const media = createMediaGen(createEmulator().client);
  const [[model, operation] = []] =
    byKind(spec).find(({ kind }) => kind === "video")?.generate ?? [];
  if (!model || !operation) throw new Error("the spec has no model of videos");
  const task = await media.generate(model, exampleOf(operation));
  await task.wait();
  const [clip] = await blobs(task);
  const card = {
    title: "mediagen",
    body: "Videos and images from prompts, in TypeScript",
    note: "SDK, emulator and API reference",
  };
  return {
    "assets/clip.mp4": new Uint8Array((await clip?.arrayBuffer()) ?? []),
    "assets/card.png": renderPicture({ width: 1200, height: 630, seed: "mediagen", text: card }),
  };
}
