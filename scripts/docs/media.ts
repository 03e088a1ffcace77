import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, type KindClient } from "@mediagen/sdk";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { byKind, exampleOf } from "../by-kind.ts";
import type { Spec } from "../read-spec.ts";

/** Makes the home page's picture and clip as a reader would, with the emulator, and the card that links to the site show. */
export async function drawMedia(spec: Spec): Promise<Readonly<Record<string, Uint8Array>>> {
  const media = createMediaGen(createEmulator().client);
  const first = async (kind: "video" | "image") => {
    const [[model, operation] = []] = byKind(spec).find((one) => one.kind === kind)?.generate ?? [];
    if (!model || !operation) throw new Error(`the spec has no model of ${kind}s`);
    // The casts: which models there are is read from the spec here, where the compiler cannot know them.
    const task = await (media[kind] as KindClient<"video">).generate(model as never, exampleOf(operation) as never);
    await task.wait();
    const [blob] = await task.blobs();
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
