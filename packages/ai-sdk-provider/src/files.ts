import {
  type Experimental_VideoModelV4CallOptions as VideoCall,
  type Experimental_VideoModelV4File as VideoFile,
  type ImageModelV4CallOptions as ImageCall,
  type ImageModelV4File,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { ModelInfo } from "@mediagen/sdk";

/** A source image. The SDK takes bytes as a `Blob`. */
export type Source = Blob | URL;

/** Returns the source images of an image call. */
export function imagesOf({
  files = [],
  mask,
}: Pick<ImageCall, "files" | "mask">): readonly Source[] {
  if (mask) throw unsupported("mask", "no model takes one");
  return files.map(toSource);
}

/** Returns the source images of a video call, in the order of its frames. */
export function framesOf({
  image,
  frameImages = [],
  inputReferences = [],
}: VideoCall): readonly Source[] {
  if (inputReferences.length > 0)
    throw unsupported("inputReferences", "no model takes them; use frameImages");
  const frameOf = (type: string) => frameImages.find(({ frameType }) => frameType === type)?.image;
  const frames = [frameOf("first_frame"), frameOf("last_frame")];
  const [first = image, last] = frames;
  if (last && !first) throw unsupported("frameImages", "a last frame needs a first one");
  // The AI SDK passes the first frame as `image`, too.
  const [given, sent] = [image ?? first, first].map((file) =>
    file?.type === "url" ? file.url : file?.data,
  );
  if (given !== sent || frames.filter(Boolean).length < frameImages.length)
    throw unsupported(
      "frameImages",
      "pass one first_frame, or an image instead, and at most one last_frame",
    );
  return [first, last].filter((one) => one !== undefined).map(toSource);
}

function toSource(file: ImageModelV4File | VideoFile): Source {
  if (file.type === "url") return new URL(file.url);
  const bytes =
    typeof file.data === "string"
      ? Uint8Array.from(atob(file.data), (one) => one.charCodeAt(0))
      : file.data;
  return new Blob([new Uint8Array(bytes)], { type: file.mediaType });
}

/** Returns whether a form takes source images. */
export function takesFiles(info: ModelInfo): boolean {
  return info.form.fields.some(({ takes }) => takes === "file");
}

/**
 * Returns the fields of source images. Rejects images that the model has no field for, because
 * another picture would be billed.
 */
export function fileFields(
  info: ModelInfo,
  sources: readonly Source[],
): Readonly<Record<string, unknown>> {
  if (sources.length === 0) return {};
  const [first] = sources;
  const blobs = sources.filter((one) => one instanceof Blob);
  const fields = info.form.fields;
  const file = fields.find(({ takes }) => takes === "file");
  if (file && blobs.length === sources.length)
    return { [file.field]: blobs.length === 1 ? blobs[0] : blobs };
  if (
    first instanceof URL &&
    sources.length === 1 &&
    fields.some(({ field }) => field === "imageUrl")
  )
    return { imageUrl: first.href };
  const advice = file
    ? "pass the bytes of its source images, not URLs"
    : "it takes no source image";
  throw unsupported("source images", `${info.model}: ${advice}`);
}

function unsupported(functionality: string, why: string): UnsupportedFunctionalityError {
  const message = `${functionality}: ${why}. Nothing was sent.`;
  return new UnsupportedFunctionalityError({ functionality, message });
}
