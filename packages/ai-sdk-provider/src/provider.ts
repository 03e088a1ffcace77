import { type Experimental_VideoModelV4 as VideoModelV4, type ImageModelV4 } from "@ai-sdk/provider";
import { NoSuchModelError, type ProviderV4 } from "@ai-sdk/provider";
import { createMediaGen, type Kind, listModels, type Model, type ModelInfo } from "@mediagen/sdk";
import { imageModel } from "./image-model.ts";
import { checkOptions, type MediaGenProviderOptions, ownNames } from "./options.ts";
import type { Host } from "./tasks.ts";
import { videoModel } from "./video-model.ts";

/** The models of the Media Generation Service, for the AI SDK. */
export interface MediaGenProvider extends ProviderV4 {
  /**
   * Returns an image model, for `generateImage`. Nothing is sent.
   *
   * @returns The model, typed from the service's description.
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const { image } = await generateImage({ model: mediagen.image("imgmodelv45"), prompt: "A fox in snow" });
   */
  image(model: Model<"image">): ImageModelV4;
  /**
   * Returns a video model, for `experimental_generateVideo` and `experimental_startVideo`. Nothing is sent.
   *
   * @returns The model, typed from the service's description.
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const { video } = await generateVideo({ model: mediagen.video("vidmodelv2"), prompt: "A fox runs through snow" });
   */
  video(model: Model<"video">): VideoModelV4;
  /**
   * Returns an image model whose name is known only at run time, as the registry of the AI SDK does.
   *
   * @returns The model.
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const model = mediagen.imageModel(process.argv[2] ?? "imgmodelz");
   */
  imageModel(model: string): ImageModelV4;
  /**
   * Returns a video model whose name is known only at run time, as the registry of the AI SDK does.
   *
   * @returns The model.
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const model = mediagen.videoModel(process.argv[2] ?? "vidmodelv2");
   */
  videoModel(model: string): VideoModelV4;
}

/**
 * Creates a provider of image and video models for the AI SDK. Nothing is sent.
 *
 * @returns The provider. One is enough for a program. Creating one for each request, with its own `onTask`, is cheap.
 * @throws An `InvalidRequestError` of the SDK if an option is not valid, or `media` is a client of another copy of the SDK
 * @example
 * const mediagen = createMediaGenProvider({ apiKey: "...", baseUrl: "https://media.example" });
 */
export function createMediaGenProvider(options: MediaGenProviderOptions = {}): MediaGenProvider {
  // The SDK rejects what is no object of options, such as a key, without showing it.
  if (typeof options !== "object") createMediaGen(options);
  const { media: given, onTask, onUpdate, waitTimeoutMs, unsupported, ...ofClient } = options;
  const names = Object.keys(ofClient);
  checkOptions(options, names);
  // The SDK also reads inherited options, as those of a class, and would reject those of the provider.
  const own = Object.fromEntries(ownNames.map((name) => [name, undefined]));
  const create = (more = {}) => createMediaGen(Object.setPrototypeOf({ ...own, ...ofClient, ...more }, options));
  let client =
    given ?? (names.length > 0 || Object.getPrototypeOf(options) !== Object.prototype ? create() : undefined);
  let single = given;
  const clients = { media: () => (client ??= create()), single: () => (single ??= create({ retries: 0 })) };
  const host: Host = { onTask, onUpdate, waitTimeoutMs, unsupported, ...clients };
  const none = (modelType: "languageModel" | "embeddingModel") => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType });
  };
  const image = (model: string) => imageModel(host, infoOf("image", model));
  const video = (model: string) => videoModel(host, infoOf("video", model));
  return {
    specificationVersion: "v4",
    languageModel: none("languageModel"),
    embeddingModel: none("embeddingModel"),
    image,
    imageModel: image,
    video,
    videoModel: video,
  };
}

function infoOf(kind: Kind, model: string): ModelInfo {
  const info = listModels().find((one) => one.kind === kind && one.model === model);
  if (!info) throw new NoSuchModelError({ modelId: model, modelType: `${kind}Model` });
  return info;
}
