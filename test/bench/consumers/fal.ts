import { createFalClient, ApiError } from "@fal-ai/client";

const fal = createFalClient({ credentials: "key" });

/** Images of a prompt. */
export async function makeImages(
  prompt: string,
  imageSize: "square" | "landscape_4_3",
  abortSignal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { data } = await fal.subscribe("fal-ai/flux/dev", {
      input: { prompt, image_size: imageSize },
      onQueueUpdate: ({ status }) => console.log(status),
      ...(abortSignal ? { abortSignal } : {}),
    });
    return data.images.map(({ url }) => url);
  } catch (error) {
    if (error instanceof ApiError) console.error(error.status);
    throw error;
  }
}
