import { createMediaGenProvider, type MediaGenProvider } from "./provider.ts";

export { createMediaGenProvider, type MediaGenProvider } from "./provider.ts";
export { VERSION } from "./options.ts";
export type { MediaGenModelOptions, MediaGenProviderOptions } from "./options.ts";

/**
 * The provider with the URL and the API key of the environment: `MEDIAGEN_BASE_URL` and
 * `MEDIAGEN_API_KEY`.
 */
export const mediagen: MediaGenProvider = createMediaGenProvider();
