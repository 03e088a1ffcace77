import type {
  Experimental_VideoModelV4 as VideoModelV4,
  ImageModelV4,
  ProviderV4,
} from "@ai-sdk/provider";
import { LoadAPIKeyError, NoSuchModelError } from "@ai-sdk/provider";
import { createMediaGen, isModel, listModels } from "@mediagen/sdk";
import type { Kind, MediaGenOptions, Model, ModelInfo } from "@mediagen/sdk";
import { imageModel } from "./image-model.ts";
import { type MediaGenProviderOptions, ownTypes, readOwnOptions } from "./options.ts";
import type { Host } from "./tasks.ts";
import { videoModel } from "./video-model.ts";

/** The models of the Media Generation Service, for the AI SDK. */
export interface MediaGenProvider extends ProviderV4 {
  /**
   * Returns an image model, for `generateImage`. Nothing is sent.
   *
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const model = mediagen.image("imgmodelv45");
   * const { image } = await generateImage({ model, prompt: "A fox in snow" });
   */
  image(model: Model<"image">): ImageModelV4;
  /**
   * Returns a video model, for `experimental_generateVideo` and `experimental_startVideo`. Nothing
   * is sent.
   *
   * @throws A `NoSuchModelError` of the AI SDK if there is no such model
   * @example
   * const model = mediagen.video("vidmodelv2");
   * const { video } = await generateVideo({ model, prompt: "A fox runs through snow" });
   */
  video(model: Model<"video">): VideoModelV4;
  /**
   * Returns an image model whose name is known only at run time, as the registry of the AI SDK
   * does; see `unchecked`.
   */
  imageModel(model: string): ImageModelV4;
  /**
   * Returns a video model whose name is known only at run time, as the registry of the AI SDK does.
   */
  videoModel(model: string): VideoModelV4;
}

/**
 * Creates a provider of image and video models for the AI SDK. Nothing is sent.
 *
 * @returns The provider. One is enough for a program. Creating one for each request, with its own
 * `onTask`, is cheap.
 * @throws An `InvalidRequestError` of the SDK if an option is not valid, or `media` is a client of
 * another copy of the SDK
 * @example
 * const mediagen = createMediaGenProvider({ apiKey: "...", baseUrl: "https://media.example" });
 */
export function createMediaGenProvider(options: MediaGenProviderOptions = {}): MediaGenProvider {
  // The SDK rejects what is no object of options, such as a key, without showing it.
  if (typeof options !== "object") createMediaGen(options);
  const own = readOwnOptions(options);
  // It inherits the options of the client, which `createMediaGen` reads also if they are of a
  // class.
  const hidden = Object.fromEntries(
    Object.keys(ownTypes).map((name) => [name, { value: undefined }]),
  );
  const ofClient: MediaGenOptions = Object.create(options, hidden);
  let client = own.media;
  for (const name in options) if (!(name in ownTypes)) client ??= createMediaGen(ofClient);
  const host: Host = { ...own, media: () => (client ??= createMediaGen(withKey(ofClient))) };
  const none = (modelType: "languageModel" | "embeddingModel") => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType });
  };
  const image = (model: string) => imageModel(host, infoOf("image", model, own.unchecked));
  const video = (model: string) => videoModel(host, infoOf("video", model, own.unchecked));
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

function infoOf(kind: Kind, model: string, unchecked = false): ModelInfo {
  const ofKind = listModels().filter((one) => one.kind === kind);
  const info = ofKind.find((one) => one.model === model);
  if (info) return info;
  if (!unchecked || isModel(model))
    throw new NoSuchModelError({ modelId: model, modelType: `${kind}Model` });
  // Its settings become the fields that other models of its kind have.
  return {
    kind,
    model,
    operation: "generate",
    form: { fields: ofKind.flatMap(({ form }) => form.fields) },
  };
}

/** Rejects options without an account. Without a key, the service would reject each call. */
function withKey(options: MediaGenOptions): MediaGenOptions {
  if (options.apiKey ?? options.baseUrl ?? globalThis.process?.env["MEDIAGEN_API_KEY"])
    return options;
  const message =
    "The API key is missing. Nothing was sent. Pass apiKey to createMediaGenProvider, or set MEDIAGEN_API_KEY.";
  throw new LoadAPIKeyError({ message });
}
