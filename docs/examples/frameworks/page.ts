import { createMediaGen, type MediaGen } from "@mediagen/sdk";

/** Creates the client of the page, which has no API key: your server adds it. */
export function createPageClient(token: string): MediaGen {
  const baseUrl = new URL("/api/media", location.href).href;
  // Without headers if your session is a cookie.
  return createMediaGen({
    baseUrl,
    allowBrowser: true,
    headers: { authorization: `Bearer ${token}` },
  });
}

/**
 * Shows the clip of an order. If it rejects, call it again with the same order: a
 * clip is generated once per order.
 */
export async function showClip(
  media: MediaGen,
  order: string,
  prompt: string,
  clip: HTMLVideoElement,
): Promise<void> {
  const task = await media.video.generate(
    "vidmodelv2",
    { prompt },
    { idempotencyKey: order },
  );
  const { url } = await task.wait();
  clip.src = url[0] ?? "";
}
