import { createMediaGen, type GenerationStore, type MediaGen, type OnEvent } from "@mediagen/sdk/node";
import type { Settings } from "./settings.ts";

/**
 * Creates the client of a worker. The URL and the key of the service are MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY. Prints what is
 * wrong with them, and ends the process then.
 */
export function createClient(settings: Settings, store: GenerationStore, onEvent?: OnEvent): MediaGen {
  const { generateTimeoutMs, queryTimeoutMs, allowHttp } = settings;
  try {
    return createMediaGen({
      store,
      retries: 0, // The queue repeats what can be repeated, so that no worker sleeps.
      generateTimeoutMs,
      queryTimeoutMs,
      allowHttp,
      onEvent,
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
