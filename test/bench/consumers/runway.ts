import RunwayML, { TaskFailedError } from "@runwayml/sdk";

const runway = new RunwayML({ apiKey: "key" });

/** Images of a prompt. */
export async function makeImages(
  promptText: string,
  ratio: "1024:1024" | "1920:1080",
  abortSignal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const created = runway.textToImage.create({ model: "gen4_image", promptText, ratio });
    console.log((await created).id);
    const task = await created.waitForTaskOutput({ ...(abortSignal ? { abortSignal } : {}) });
    return task.output;
  } catch (error) {
    if (error instanceof TaskFailedError) console.error(error.taskDetails.id);
    throw error;
  }
}
