import { createMediaGen, OutcomeUnknownError, type Form, type VideoRecord } from "@mediagen/sdk";

const media = createMediaGen({ apiKey: "key", baseUrl: "https://media.example.com" });

/** A video of a prompt, with what a program has around it. */
export async function makeVideo(
  prompt: string,
  seconds: 5 | 10 | 15,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const form: Form<"vidmodelv2"> = {
    prompt,
    duration: seconds,
    resolution: "720p",
    generate_audio: true,
  };
  try {
    const task = await media.video.generate("vidmodelv2", form, { signal });
    const video: VideoRecord = await task.wait({
      signal,
      onUpdate: ({ state, elapsedMs }) => console.log(state, elapsedMs),
    });
    return video.url;
  } catch (error) {
    if (error instanceof OutcomeUnknownError) console.error(error.model, error.digest);
    throw error;
  }
}
