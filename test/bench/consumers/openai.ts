import OpenAI, { APIConnectionError } from "openai";

const openai = new OpenAI({ apiKey: "key" });

/** A video of a prompt; waiting is left to the caller. */
export async function makeVideo(prompt: string, seconds: "4" | "8" | "12", signal?: AbortSignal): Promise<string> {
  try {
    const created = await openai.videos.create(
      { prompt, seconds, size: "720x1280", model: "sora-2" },
      { ...(signal ? { signal } : {}) },
    );
    for (let video = created; ; video = await openai.videos.retrieve(created.id)) {
      console.log(video.status, video.progress);
      if (video.status === "completed") return video.id;
      if (video.status === "failed") throw new Error(video.error?.message);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  } catch (error) {
    if (error instanceof APIConnectionError) console.error(error.cause);
    throw error;
  }
}
