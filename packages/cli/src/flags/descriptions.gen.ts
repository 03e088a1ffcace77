// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { Descriptions } from "./descriptions.ts";

/** The texts of the service's description, for people. */
export const descriptions: Descriptions = {
  operations: {
    generateVidmodelv2: {
      summary: "Generate a video with vidmodelv2",
      description: "Creates one video task from a prompt, one or two source images, or both, and returns its `taskid`. The generation is paid and cannot be undone, and the service documents no idempotency key. If the response is lost, a task may exist all the same.",
      fields: {
        prompt: { description: "What the video shows." },
        "sourceImage.items": {
          description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
        },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        ratio: {
          description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
          default: "9:16",
        },
        duration: { description: "The length of the video in seconds.", default: 5 },
        seed: { description: "The random seed; any integer." },
        resolution: { description: "The resolution.", default: "720p" },
        fps: {
          description: "The frame rate in frames per second. Its valid values are not documented by the service.",
          default: "24",
        },
        generate_audio: { description: "Whether the video has sound; `1` enables." },
        return_last_frame: {
          description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
        },
        execution_expires_after: {
          description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.",
        },
        websearch: { description: "Whether the model may search the web; `1` enables." },
      },
    },
    generateVidmodelv2fast: {
      summary: "Generate a video with vidmodelv2fast",
      description: "Creates one video task from the same form as `vidmodelv2` and returns its `taskid`. How the two models differ is not documented by the service.",
      fields: {
        prompt: { description: "What the video shows." },
        "sourceImage.items": {
          description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
        },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        ratio: {
          description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
          default: "9:16",
        },
        duration: { description: "The length of the video in seconds.", default: 5 },
        seed: { description: "The random seed; any integer." },
        resolution: { description: "The resolution.", default: "720p" },
        fps: {
          description: "The frame rate in frames per second. Its valid values are not documented by the service.",
          default: "24",
        },
        generate_audio: { description: "Whether the video has sound; `1` enables." },
        return_last_frame: {
          description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
        },
        execution_expires_after: {
          description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.",
        },
        websearch: { description: "Whether the model may search the web; `1` enables." },
      },
    },
    generateVidmodelv15pro: {
      summary: "Generate a video with vidmodelv15pro",
      description: "Creates one video task, up to 1080p, from a prompt and source images given as files or as URLs, and returns its `taskid`.",
      fields: {
        prompt: { description: "What the video shows." },
        "sourceImage.items": {
          description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).",
        },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        imageUrl: { description: "The URLs of source images, separated by commas." },
        ratio: {
          description: "The aspect ratio. Its valid values are not documented by the service.",
          default: "9:16",
        },
        duration: { description: "The length of the video in seconds." },
        seed: { description: "The random seed; any integer." },
        resolution: { description: "The resolution." },
        fps: {
          description: "The frame rate in frames per second. Its valid values are not documented by the service.",
        },
        fixed_camera: {
          description: "Whether the camera stays fixed; `1` enables. The field's name is not documented by the service.",
        },
        return_last_frame: {
          description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by the service.",
        },
        generate_audio: { description: "Whether the video has sound; `1` enables." },
      },
    },
    generateImgmodelv45: {
      summary: "Generate images with imgmodelv45",
      description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its `taskid`.",
      fields: {
        category: {
          description: "The category identifier. Other values are not documented by the service.",
          default: "imgmodelv45",
        },
        prompt: { description: "What the image shows. The maximum length is not documented by the service." },
        batchsize: {
          description: "The number of images. The default is not documented by the service; its usage example has 1.",
        },
        resolution: { description: "The aspect ratio, the level, or the exact size of the images." },
        "sourceImage.items": { description: "The source image." },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        imageUrl: { description: "The URL of a source image." },
      },
    },
    generateImgmodelv5: {
      summary: "Generate images with imgmodelv5",
      description: "Creates one image task from a prompt, optionally with a source image, and returns its `taskid` and a `url`. The limits, defaults and valid values of this form's fields are not documented by the service.",
      fields: {
        category: {
          description: "The category identifier. Its valid values are not documented by the service; `imgmodelv5` is in use.",
        },
        prompt: { description: "What the image shows. The maximum length is not documented by the service." },
        batchsize: { description: "The number of images. Its limits and default are not documented by the service." },
        resolution: { description: "The resolution. Its valid values are not documented by the service." },
        "sourceImage.items": { description: "The source image." },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        imageUrl: { description: "The URL of a source image." },
      },
    },
    generateImgmodelv4: {
      summary: "Generate images with imgmodelv4",
      description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its `taskid`.",
      fields: {
        category: {
          description: "The category identifier. Other values are not documented by the service.",
          default: "imgmodelv4",
        },
        prompt: { description: "What the image shows. The maximum length is not documented by the service." },
        batchsize: { description: "The number of images. The default is not documented by the service." },
        resolution: { description: "The aspect ratio of the images." },
        "sourceImage.items": { description: "The source image." },
        sourceImage: {
          description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a path on your machine has no meaning there.",
        },
        imageUrl: { description: "The URL of a source image." },
      },
    },
    generateImgmodelz: {
      summary: "Generate an image with imgmodelz",
      description: "Creates one image task from a prompt alone and returns its `taskid` and a `url`.",
      fields: {
        prompt: { description: "What the image shows. The maximum length is not documented by the service." },
        resolution: {
          description: "The size, `<width>*<height>` in pixels, joined by an asterisk. The valid sizes are not documented by the service.",
        },
        seed: { description: "The random seed. Its limits are not documented by the service." },
      },
    },
  },
  deletionFields: [{ field: "uid", description: "A user id. Its meaning is not documented by the service." }],
};
