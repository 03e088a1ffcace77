import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { byKind, exampleOf, type Spec } from "../spec.ts";

/** Generates the home page's picture and clip with the emulator, and draws the card that links to the site show. */
export async function drawMedia(spec: Spec): Promise<Readonly<Record<string, Uint8Array>>> {
  const media = createMediaGen(createEmulator().client);
  const first = async (kind: "video" | "image") => {
    const [[model, operation] = []] = byKind(spec).find((one) => one.kind === kind)?.generate ?? [];
    if (!model || !operation) throw new Error(`the spec has no model of ${kind}s`);
    const task = await media.generate(model, exampleOf(operation));
    await task.wait();
    const [blob] = await blobs(task);
    return new Uint8Array((await blob?.arrayBuffer()) ?? []);
  };
  const card = {
    title: "mediagen",
    body: "Videos and images from prompts, in TypeScript",
    note: "SDK, emulator and API reference",
  };
  return {
    "picture.png": await first("image"),
    "clip.mp4": await first("video"),
    "card.png": renderPicture({ width: 1200, height: 630, seed: "mediagen", text: card }),
  };
}
