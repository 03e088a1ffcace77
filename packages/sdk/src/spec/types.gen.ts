// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

/** The kind of what a task generates: a video or images. */
export type Kind = "video" | "image";

/** What vidmodelv2 and vidmodelv2fast make a video from. */
export interface Vidmodelv2Form {
  /**
   * What the video shows.
   * Takes text of at most 8192 characters.
   */
  readonly prompt?: string | undefined;
  /**
   * One or two source images, each a file part of this name. The service does not document what two images mean (first and last frame, or
   * two references).
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   * Takes 1 to 2 image files.
   */
  readonly sourceImage?: Blob | readonly Blob[] | string | undefined;
  /**
   * The aspect ratio. How `adaptive` chooses one is not documented by the service.
   * Takes one of "16:9", "4:3", "1:1", "3:4", "9:16", "21:9" or "adaptive".
   * The service's default: "9:16".
   */
  readonly ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9" | "adaptive" | undefined;
  /**
   * The length of the video in seconds.
   * Takes one of 5, 10 or 15.
   * The service's default: 5.
   */
  readonly duration?: 5 | 10 | 15 | undefined;
  /** The random seed; any integer. */
  readonly seed?: number | undefined;
  /**
   * The resolution.
   * Takes "480p" or "720p".
   * The service's default: "720p".
   */
  readonly resolution?: "480p" | "720p" | undefined;
  /**
   * The frame rate in frames per second. Its valid values are not documented by the service.
   * The service's default: "24".
   */
  readonly fps?: string | number | undefined;
  /**
   * Whether the video has sound; `1` enables.
   * Takes one of true, false, "0" or "1".
   */
  readonly generate_audio?: "0" | "1" | boolean | undefined;
  /**
   * Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by
   * the service.
   * Takes one of true, false, "0" or "1".
   */
  readonly return_last_frame?: "0" | "1" | boolean | undefined;
  /**
   * The number of seconds after which the task expires. What happens to an expired task is not documented by the service.
   * Takes a whole number from 3600 to 259200.
   */
  readonly execution_expires_after?: number | undefined;
  /**
   * Whether the model may search the web; `1` enables.
   * Takes one of true, false, "0" or "1".
   */
  readonly websearch?: "0" | "1" | boolean | undefined;
}

/** What vidmodelv2 and vidmodelv2fast make a video from. */
export interface Vidmodelv2fastForm {
  /**
   * What the video shows.
   * Takes text of at most 8192 characters.
   */
  readonly prompt?: string | undefined;
  /**
   * One or two source images, each a file part of this name. The service does not document what two images mean (first and last frame, or
   * two references).
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   * Takes 1 to 2 image files.
   */
  readonly sourceImage?: Blob | readonly Blob[] | string | undefined;
  /**
   * The aspect ratio. How `adaptive` chooses one is not documented by the service.
   * Takes one of "16:9", "4:3", "1:1", "3:4", "9:16", "21:9" or "adaptive".
   * The service's default: "9:16".
   */
  readonly ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9" | "adaptive" | undefined;
  /**
   * The length of the video in seconds.
   * Takes one of 5, 10 or 15.
   * The service's default: 5.
   */
  readonly duration?: 5 | 10 | 15 | undefined;
  /** The random seed; any integer. */
  readonly seed?: number | undefined;
  /**
   * The resolution.
   * Takes "480p" or "720p".
   * The service's default: "720p".
   */
  readonly resolution?: "480p" | "720p" | undefined;
  /**
   * The frame rate in frames per second. Its valid values are not documented by the service.
   * The service's default: "24".
   */
  readonly fps?: string | number | undefined;
  /**
   * Whether the video has sound; `1` enables.
   * Takes one of true, false, "0" or "1".
   */
  readonly generate_audio?: "0" | "1" | boolean | undefined;
  /**
   * Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by
   * the service.
   * Takes one of true, false, "0" or "1".
   */
  readonly return_last_frame?: "0" | "1" | boolean | undefined;
  /**
   * The number of seconds after which the task expires. What happens to an expired task is not documented by the service.
   * Takes a whole number from 3600 to 259200.
   */
  readonly execution_expires_after?: number | undefined;
  /**
   * Whether the model may search the web; `1` enables.
   * Takes one of true, false, "0" or "1".
   */
  readonly websearch?: "0" | "1" | boolean | undefined;
}

/** What vidmodelv15pro makes a video from. */
export interface Vidmodelv15proForm {
  /** What the video shows. */
  readonly prompt?: string | undefined;
  /**
   * One or two source images, each a file part of this name. The service does not document what two images mean (first and last frame, or
   * two references).
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   * Takes 1 to 2 image files.
   */
  readonly sourceImage?: Blob | readonly Blob[] | string | undefined;
  /** The URLs of source images, separated by commas. */
  readonly imageUrl?: string | undefined;
  /**
   * The aspect ratio. Its valid values are not documented by the service.
   * The service's default: "9:16".
   */
  readonly ratio?: string | undefined;
  /**
   * The length of the video in seconds.
   * Takes 5 or 10.
   */
  readonly duration?: 5 | 10 | undefined;
  /** The random seed; any integer. */
  readonly seed?: number | undefined;
  /**
   * The resolution.
   * Takes one of "480p", "720p" or "1080p".
   */
  readonly resolution?: "480p" | "720p" | "1080p" | undefined;
  /** The frame rate in frames per second. Its valid values are not documented by the service. */
  readonly fps?: string | number | undefined;
  /**
   * Whether the camera stays fixed; `1` enables. The field's name is not documented by the service.
   * Takes one of true, false, "0" or "1".
   */
  readonly fixed_camera?: "0" | "1" | boolean | undefined;
  /**
   * Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by
   * the service.
   * Takes one of true, false, "0" or "1".
   */
  readonly return_last_frame?: "0" | "1" | boolean | undefined;
  /**
   * Whether the video has sound; `1` enables.
   * Takes one of true, false, "0" or "1".
   */
  readonly generate_audio?: "0" | "1" | boolean | undefined;
}

/** The form of each video model. */
export interface VideoForms {
  /** Generate a video with vidmodelv2 */
  vidmodelv2: Vidmodelv2Form;
  /** Generate a video with vidmodelv2fast */
  vidmodelv2fast: Vidmodelv2fastForm;
  /** Generate a video with vidmodelv15pro */
  vidmodelv15pro: Vidmodelv15proForm;
}

/** The record of a video task. */
export interface VideoRecord {
  /** The task's id, as the generation returned it. */
  taskid: string;
  /** The URLs of the results. How long they stay valid is not documented by the service. */
  url: string[];
  /** The status code. The meaning of its values is not documented by the service. */
  task_status?: number;
  /** A message about the task. */
  message?: string;
  /** The prompt used. */
  prompt?: string;
  /** The URL of the source image. */
  imageurl?: string;
  /** The resolution used. */
  resolution?: string;
  /** The frame rate, frames per second. */
  fps?: number;
  /** Where the task came from. */
  source?: string;
  /** The length of the video in seconds. */
  duration?: number;
  /** The random seed used. */
  seed?: number;
  /** The aspect ratio. */
  ratio?: string;
}

/** What a deletion returns. */
export interface VideoDeletion {
  /** The result of the deletion, `Success` if it succeeded. Other values are not documented by the service. */
  status: string;
}

/** The optional fields of a query of video tasks. */
export interface VideoQueryFields {
  /** Whether to return more information about the task. Its effect on the response is not documented by the service. */
  readonly moreTaskInfo?: boolean | undefined;
}

/** The optional fields of a deletion of video tasks. */
export interface VideoDeleteFields {
}

/** What imgmodelv45 makes images from. */
export interface Imgmodelv45Form {
  /**
   * The category identifier. Other values are not documented by the service.
   * The service's default: "imgmodelv45".
   */
  readonly category?: string | undefined;
  /** What the image shows. The maximum length is not documented by the service. */
  readonly prompt: string;
  /**
   * The number of images. The default is not documented by the service; its usage example has 1.
   * Takes a whole number from 1 to 15.
   */
  readonly batchsize?: number | undefined;
  /**
   * The aspect ratio, the level, or the exact size of the images.
   * Takes one of "9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2", "2K" or "4K"; or <width>x<height> with 3686400 to 16777216 pixels in total.
   */
  readonly resolution?: "9:16" | "16:9" | "3:4" | "4:3" | "1:1" | "2:3" | "3:2" | "2K" | "4K" | `${number}x${number}` | undefined;
  /**
   * The source image, a file part of this name.
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   */
  readonly sourceImage?: Blob | string | undefined;
  /** The URL of a source image. */
  readonly imageUrl?: string | undefined;
}

/**
 * What imgmodelv5 makes images from: the fields of imgmodelv45. Their limits, defaults and valid values are not
 * documented by the service, so none is checked.
 */
export interface Imgmodelv5Form {
  /** The category identifier. Its valid values are not documented by the service; `imgmodelv5` is in use. */
  readonly category?: string | undefined;
  /** What the image shows. The maximum length is not documented by the service. */
  readonly prompt: string;
  /** The number of images. Its limits and default are not documented by the service. */
  readonly batchsize?: number | undefined;
  /** The resolution. Its valid values are not documented by the service. */
  readonly resolution?: string | undefined;
  /**
   * The source image, a file part of this name.
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   */
  readonly sourceImage?: Blob | string | undefined;
  /** The URL of a source image. */
  readonly imageUrl?: string | undefined;
}

/** What imgmodelv4 makes images from. */
export interface Imgmodelv4Form {
  /**
   * The category identifier. Other values are not documented by the service.
   * The service's default: "imgmodelv4".
   */
  readonly category?: string | undefined;
  /** What the image shows. The maximum length is not documented by the service. */
  readonly prompt: string;
  /**
   * The number of images. The default is not documented by the service.
   * Takes a whole number from 1 to 15.
   */
  readonly batchsize?: number | undefined;
  /**
   * The aspect ratio of the images.
   * Takes one of "9:16", "16:9", "3:4", "4:3" or "1:1".
   */
  readonly resolution?: "9:16" | "16:9" | "3:4" | "4:3" | "1:1" | undefined;
  /**
   * The source image, a file part of this name.
   *
   * As a string: A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
   * path on your machine has no meaning there.
   */
  readonly sourceImage?: Blob | string | undefined;
  /** The URL of a source image. */
  readonly imageUrl?: string | undefined;
}

/** What imgmodelz makes an image from. The limits of its fields are not documented by the service. */
export interface ImgmodelzForm {
  /** What the image shows. The maximum length is not documented by the service. */
  readonly prompt: string;
  /**
   * The size, `<width>*<height>` in pixels, joined by an asterisk. The valid sizes are not documented by the service.
   * Takes <width>*<height>.
   */
  readonly resolution?: `${number}*${number}` | undefined;
  /** The random seed. Its limits are not documented by the service. */
  readonly seed?: number | undefined;
}

/** The form of each image model. */
export interface ImageForms {
  /** Generate images with imgmodelv45 */
  imgmodelv45: Imgmodelv45Form;
  /** Generate images with imgmodelv5 */
  imgmodelv5: Imgmodelv5Form;
  /** Generate images with imgmodelv4 */
  imgmodelv4: Imgmodelv4Form;
  /** Generate an image with imgmodelz */
  imgmodelz: ImgmodelzForm;
}

/** The record of an image task. */
export interface ImageRecord {
  /** The task's id, as the generation returned it. */
  taskid: string;
  /**
   * When the task started, as a local date and time: `YYYY-MM-DD HH:MM:SS`. The time zone is not documented by the
   * service.
   */
  starttime?: string;
  /** The URLs of the results. How long they stay valid is not documented by the service. */
  url: string[];
  /** The status code. The meaning of its values is not documented by the service. */
  image_status?: number;
  /** The width in pixels. */
  width?: number;
  /** The height in pixels. */
  height?: number;
}

/** What a deletion returns. */
export interface ImageDeletion {
  /** The result of the deletion, `Success` if it succeeded. Other values are not documented by the service. */
  status: string;
}

/** The optional fields of a query of image tasks. */
export interface ImageQueryFields {
}

/** The optional fields of a deletion of image tasks. */
export interface ImageDeleteFields {
  /** A user id. Its meaning is not documented by the service. */
  readonly uid?: string | undefined;
}

/** The forms of the models, by kind. */
export interface Forms {
  /** For video models. */
  readonly video: VideoForms;
  /** For image models. */
  readonly image: ImageForms;
}

/** The record of a task, by kind. */
export interface Records {
  /** For video tasks. */
  readonly video: VideoRecord;
  /** For image tasks. */
  readonly image: ImageRecord;
}

/** The record of a task of any kind. */
export type TaskRecord = VideoRecord | ImageRecord;

/** The optional fields of a query, by kind. */
export interface QueryFields {
  /** For video tasks. */
  readonly video: VideoQueryFields;
  /** For image tasks. */
  readonly image: ImageQueryFields;
}

/** The optional fields of a deletion, by kind. */
export interface DeleteFields {
  /** For video tasks. */
  readonly video: VideoDeleteFields;
  /** For image tasks. */
  readonly image: ImageDeleteFields;
}

/** The response to a deletion, by kind. */
export interface Deletions {
  /** For video tasks. */
  readonly video: VideoDeletion;
  /** For image tasks. */
  readonly image: ImageDeletion;
}

// Looked up, not computed: conditional types would cost every program's compiler three times as much.
interface ModelsOf {
  readonly video: "vidmodelv2" | "vidmodelv2fast" | "vidmodelv15pro";
  readonly image: "imgmodelv45" | "imgmodelv5" | "imgmodelv4" | "imgmodelz";
}

interface FormsOf extends VideoForms, ImageForms {}

/** A generation model, of one kind or of any. */
export type Model<K extends Kind = Kind> = ModelsOf[K];

/** The form of a model. */
export type Form<M extends Model> = FormsOf[M];
