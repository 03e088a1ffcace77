import LumaAI, { APIConnectionError } from "lumaai";

const luma = new LumaAI({ authToken: "key" });

/** An image of a prompt; waiting is left to the caller. */
export async function makeImage(
  prompt: string,
  ratio: "16:9" | "1:1",
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const created = await luma.generations.image.create({ prompt, aspect_ratio: ratio, model: "photon-1" }, { signal });
    for (let generation = created; ; generation = await luma.generations.get(created.id ?? "")) {
      console.log(generation.state);
      if (generation.state === "completed") return generation.assets?.image;
      if (generation.state === "failed") throw new Error(generation.failure_reason);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  } catch (error) {
    if (error instanceof APIConnectionError) console.error(error.cause);
    throw error;
  }
}
