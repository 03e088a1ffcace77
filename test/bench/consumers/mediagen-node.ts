import { createMediaGen, download, fileFrom, OutcomeUnknownError, type VideoRecord } from "@mediagen/sdk/node";

const media = createMediaGen({ apiKey: "key", baseUrl: "https://media.example.com" });

/** A video of a prompt and an image, with what a program of thirty lines has around it. */
export async function makeVideo(prompt: string, image: string, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    const task = await media.video.generate(
      "vidmodelv2",
      { prompt, duration: 5, sourceImage: await fileFrom(image) },
      { signal },
    );
    const video: VideoRecord = await task.wait({
      signal,
      onUpdate: ({ state, elapsedMs }) => console.log(state, elapsedMs),
    });
    await download(task, "out");
    return video.url;
  } catch (error) {
    if (error instanceof OutcomeUnknownError) console.error(error.model, error.digest);
    throw error;
  }
}
