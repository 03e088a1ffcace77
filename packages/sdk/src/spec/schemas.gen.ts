// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { Schemas } from "./operation.ts";

/** The JSON Schema of each generation's and each deletion's fields, by operation. */
export const schemas: Schemas = {
  generateVidmodelv2: {
    title: "Generate a video with vidmodelv2",
    description: "Creates one video task from a prompt, one or two source images, or both, and returns its `taskid`. The generation is paid and cannot be undone, and the service documents no idempotency key. If the response is lost, a task may exist all the same.",
    properties: {
      prompt: { type: "string", maxLength: 8192, pattern: "\\S", description: "What the video shows." },
      sourceImage: {
        type: "array",
        minItems: 1,
        maxItems: 2,
        items: { type: "string", contentMediaType: "image/*" },
        description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
      },
      ratio: {
        type: "string",
        enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
        description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
      },
      duration: { type: "integer", enum: [5, 10, 15], description: "The length of the video in seconds." },
      seed: {
        type: "integer",
        minimum: -9007199254740991,
        maximum: 9007199254740991,
        description: "The random seed; any integer.",
      },
      resolution: { type: "string", enum: ["480p", "720p"], description: "The resolution." },
      fps: {
        anyOf: [{ type: "integer", minimum: -2147483648, maximum: 2147483647 }, { type: "string", pattern: "\\S" }],
        description: "The frame rate in frames per second. Its valid values are not documented by the service.",
      },
      generate_audio: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the video has sound; `1` enables.",
      },
      return_last_frame: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
      },
      execution_expires_after: {
        type: "integer",
        minimum: 3600,
        maximum: 259200,
        description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.",
      },
      websearch: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the model may search the web; `1` enables.",
      },
    },
  },
  generateVidmodelv2fast: {
    title: "Generate a video with vidmodelv2fast",
    description: "Creates one video task from the same form as `vidmodelv2` and returns its `taskid`. How the two models differ is not documented by the service.",
    properties: {
      prompt: { type: "string", maxLength: 8192, pattern: "\\S", description: "What the video shows." },
      sourceImage: {
        type: "array",
        minItems: 1,
        maxItems: 2,
        items: { type: "string", contentMediaType: "image/*" },
        description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
      },
      ratio: {
        type: "string",
        enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
        description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
      },
      duration: { type: "integer", enum: [5, 10, 15], description: "The length of the video in seconds." },
      seed: {
        type: "integer",
        minimum: -9007199254740991,
        maximum: 9007199254740991,
        description: "The random seed; any integer.",
      },
      resolution: { type: "string", enum: ["480p", "720p"], description: "The resolution." },
      fps: {
        anyOf: [{ type: "integer", minimum: -2147483648, maximum: 2147483647 }, { type: "string", pattern: "\\S" }],
        description: "The frame rate in frames per second. Its valid values are not documented by the service.",
      },
      generate_audio: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the video has sound; `1` enables.",
      },
      return_last_frame: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
      },
      execution_expires_after: {
        type: "integer",
        minimum: 3600,
        maximum: 259200,
        description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.",
      },
      websearch: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the model may search the web; `1` enables.",
      },
    },
  },
  generateVidmodelv15pro: {
    title: "Generate a video with vidmodelv15pro",
    description: "Creates one video task, up to 1080p, from a prompt and source images given as files or as URLs, and returns its `taskid`.",
    properties: {
      prompt: { type: "string", pattern: "\\S", description: "What the video shows." },
      sourceImage: {
        type: "array",
        minItems: 1,
        maxItems: 2,
        items: { type: "string", contentMediaType: "image/*" },
        description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
      },
      imageUrl: {
        type: "string",
        pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$",
        description: "The URLs of source images, separated by commas.",
      },
      ratio: {
        type: "string",
        pattern: "\\S",
        description: "The aspect ratio. Its valid values are not documented by the service.",
      },
      duration: { type: "integer", enum: [5, 10], description: "The length of the video in seconds." },
      seed: {
        type: "integer",
        minimum: -9007199254740991,
        maximum: 9007199254740991,
        description: "The random seed; any integer.",
      },
      resolution: { type: "string", enum: ["480p", "720p", "1080p"], description: "The resolution." },
      fps: {
        anyOf: [{ type: "integer", minimum: -2147483648, maximum: 2147483647 }, { type: "string", pattern: "\\S" }],
        description: "The frame rate in frames per second. Its valid values are not documented by the service.",
      },
      fixed_camera: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the camera stays fixed; `1` enables. The field's name is not documented by the service.",
      },
      return_last_frame: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
      },
      generate_audio: {
        anyOf: [{ type: "boolean" }, { type: "string", enum: ["0", "1"] }],
        description: "Whether the video has sound; `1` enables.",
      },
    },
  },
  deleteVideoTasks: {
    title: "Delete video tasks",
    description: "Removes the named video tasks, several at a time. The service does not document what happens to unknown or already removed ids, nor whether deleting a running task stops or refunds it.",
    properties: {
      taskids: {
        type: "array",
        items: { type: "string" },
        description: "The ids of the tasks to delete. The maximum number is not documented by the service.",
      },
    },
  },
  generateImgmodelv45: {
    title: "Generate images with imgmodelv45",
    description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its `taskid`.",
    properties: {
      category: {
        type: "string",
        pattern: "\\S",
        description: "The category identifier. Other values are not documented by the service.",
      },
      prompt: {
        type: "string",
        pattern: "\\S",
        description: "What the image shows. The maximum length is not documented by the service.",
      },
      batchsize: {
        type: "integer",
        minimum: 1,
        maximum: 15,
        description: "The number of images. The default is not documented by the service; its usage example has 1.",
      },
      resolution: {
        anyOf: [
          { type: "string", enum: ["9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2"] },
          { type: "string", enum: ["2K", "4K"] },
          { type: "string", pattern: "^[1-9][0-9]*x[1-9][0-9]*$" },
        ],
        description: "The aspect ratio, the level, or the exact size of the images. Use one of \"9:16\", \"16:9\", \"3:4\", \"4:3\", \"1:1\", \"2:3\", \"3:2\", \"2K\" or \"4K\"; or <width>x<height> with 3686400 to 16777216 pixels in total.",
      },
      sourceImage: { type: "string", contentMediaType: "image/*", description: "The source image." },
      imageUrl: { type: "string", pattern: "^https?://\\S+$", description: "The URL of a source image." },
    },
  },
  generateImgmodelv5: {
    title: "Generate images with imgmodelv5",
    description: "Creates one image task from a prompt, optionally with a source image, and returns its `taskid` and a `url`. The limits, defaults and valid values of this form's fields are not documented by the service.",
    properties: {
      category: {
        type: "string",
        pattern: "\\S",
        description: "The category identifier. Its valid values are not documented by the service; `imgmodelv5` is in use.",
      },
      prompt: {
        type: "string",
        pattern: "\\S",
        description: "What the image shows. The maximum length is not documented by the service.",
      },
      batchsize: {
        type: "integer",
        minimum: -9007199254740991,
        maximum: 9007199254740991,
        description: "The number of images. Its limits and default are not documented by the service.",
      },
      resolution: {
        type: "string",
        pattern: "\\S",
        description: "The resolution. Its valid values are not documented by the service.",
      },
      sourceImage: { type: "string", contentMediaType: "image/*", description: "The source image." },
      imageUrl: { type: "string", pattern: "^https?://\\S+$", description: "The URL of a source image." },
    },
  },
  generateImgmodelv4: {
    title: "Generate images with imgmodelv4",
    description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its `taskid`.",
    properties: {
      category: {
        type: "string",
        pattern: "\\S",
        description: "The category identifier. Other values are not documented by the service.",
      },
      prompt: {
        type: "string",
        pattern: "\\S",
        description: "What the image shows. The maximum length is not documented by the service.",
      },
      batchsize: {
        type: "integer",
        minimum: 1,
        maximum: 15,
        description: "The number of images. The default is not documented by the service.",
      },
      resolution: {
        type: "string",
        enum: ["9:16", "16:9", "3:4", "4:3", "1:1"],
        description: "The aspect ratio of the images.",
      },
      sourceImage: { type: "string", contentMediaType: "image/*", description: "The source image." },
      imageUrl: { type: "string", pattern: "^https?://\\S+$", description: "The URL of a source image." },
    },
  },
  generateImgmodelz: {
    title: "Generate an image with imgmodelz",
    description: "Creates one image task from a prompt alone and returns its `taskid` and a `url`.",
    properties: {
      prompt: {
        type: "string",
        pattern: "\\S",
        description: "What the image shows. The maximum length is not documented by the service.",
      },
      resolution: {
        type: "string",
        pattern: "^[1-9][0-9]*\\*[1-9][0-9]*$",
        description: "The size, `<width>*<height>` in pixels, joined by an asterisk. The valid sizes are not documented by the service.",
      },
      seed: {
        type: "integer",
        minimum: -9007199254740991,
        maximum: 9007199254740991,
        description: "The random seed. Its limits are not documented by the service.",
      },
    },
  },
  deleteImageTasks: {
    title: "Delete image tasks",
    description: "Removes the named image tasks, several at a time. The service does not document what happens to unknown or already removed ids, nor whether deleting a running task stops or refunds it.",
    properties: {
      taskids: {
        type: "array",
        items: { type: "string" },
        description: "The ids of the tasks to delete. The maximum number is not documented by the service.",
      },
      uid: { type: "string", description: "A user id. Its meaning is not documented by the service." },
    },
  },
};
