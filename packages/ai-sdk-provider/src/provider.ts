import {
  type Experimental_VideoModelV4 as VideoModelV4,
  type ImageModelV4,
  InvalidArgumentError,
  NoSuchModelError,
  type ProviderV4,
} from "@ai-sdk/provider";
import {
  createMediaGen,
  InvalidRequestError,
  type Kind,
  listModels,
  type MediaGen,
  type Model,
  type ModelInfo,
  type TaskJSON,
} from "@mediagen/sdk";
import { imageModel } from "./image-model.ts";
import type { MediaGenProviderOptions } from "./options.ts";
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
 * @throws An `InvalidArgumentError` of the AI SDK if `media` is no client, or is one of another copy of the SDK
 * @example
 * const mediagen = createMediaGenProvider({ media, onTask: (task) => console.log(task.taskid) });
 */
export function createMediaGenProvider(options: MediaGenProviderOptions = {}): MediaGenProvider {
  const { media: given, ...further } = options;
  if (given) rejectOtherCopy(given);
  let created: MediaGen | undefined = given;
  let changed: MediaGen | undefined;
  const media = () => (created ??= createMediaGen());
  const withoutRetries = () => (changed ??= media().withOptions({ retries: 0 }));
  const host: Host = { ...further, media, withoutRetries };
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

/** Rejects a client of another copy of the SDK. This copy could neither read its errors nor fetch its results. */
function rejectOtherCopy(media: MediaGen): void {
  try {
    // The cast: the client's own copy of the SDK rejects this argument with its own error.
    media.task({} as TaskJSON);
  } catch (error) {
    if (error instanceof InvalidRequestError) return;
  }
  const message =
    "createMediaGenProvider: media is not a client of the @mediagen/sdk that this package uses. " +
    "Install the same version of both, and pass what createMediaGen returned.";
  throw new InvalidArgumentError({ argument: "media", message });
}
