// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { Codes, Operations } from "./operation.ts";
import type { Kind } from "./types.gen.ts";

/** Every kind. */
export const kinds: readonly Kind[] = ["video", "image"];

/** The codes of the envelope. */
export const codes: Codes = { success: 1000, failure: 9999, insufficientCredits: 9000 };

/** Every operation of the service, by kind. */
export const operations: Operations = {
  video: {
    generate: {
      vidmodelv2: {
        id: "generateVidmodelv2",
        path: "/v1/video/vidmodelv2",
        body: {
          type: "object",
          anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }],
          properties: {
            prompt: { type: "string", maxLength: 8192, pattern: "\\S" },
            "sourceImage.items": {
              type: "array",
              minItems: 1,
              maxItems: 2,
              items: { type: "string", format: "binary", contentMediaType: "image/*" },
            },
            sourceImage: { type: "string" },
            ratio: { type: "string", enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"], default: "9:16" },
            duration: { type: "integer", enum: [5, 10, 15], default: 5 },
            seed: { type: "integer" },
            resolution: { type: "string", enum: ["480p", "720p"], default: "720p" },
            fps: { type: "string", format: "int32", pattern: "\\S", default: "24" },
            generate_audio: { type: "string", enum: ["0", "1"] },
            return_last_frame: { type: "string", enum: ["0", "1"] },
            execution_expires_after: { type: "integer", minimum: 3600, maximum: 259200 },
            websearch: { type: "string", enum: ["0", "1"] },
          },
        },
      },
      vidmodelv2fast: {
        id: "generateVidmodelv2fast",
        path: "/v1/video/vidmodelv2fast",
        body: {
          type: "object",
          anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }],
          properties: {
            prompt: { type: "string", maxLength: 8192, pattern: "\\S" },
            "sourceImage.items": {
              type: "array",
              minItems: 1,
              maxItems: 2,
              items: { type: "string", format: "binary", contentMediaType: "image/*" },
            },
            sourceImage: { type: "string" },
            ratio: { type: "string", enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"], default: "9:16" },
            duration: { type: "integer", enum: [5, 10, 15], default: 5 },
            seed: { type: "integer" },
            resolution: { type: "string", enum: ["480p", "720p"], default: "720p" },
            fps: { type: "string", format: "int32", pattern: "\\S", default: "24" },
            generate_audio: { type: "string", enum: ["0", "1"] },
            return_last_frame: { type: "string", enum: ["0", "1"] },
            execution_expires_after: { type: "integer", minimum: 3600, maximum: 259200 },
            websearch: { type: "string", enum: ["0", "1"] },
          },
        },
      },
      vidmodelv15pro: {
        id: "generateVidmodelv15pro",
        path: "/v1/video/vidmodelv15pro",
        body: {
          type: "object",
          anyOf: [
            { required: ["prompt"] },
            { required: ["sourceImage.items"] },
            { required: ["sourceImage"] },
            { required: ["imageUrl"] },
          ],
          properties: {
            prompt: { type: "string", pattern: "\\S" },
            "sourceImage.items": {
              type: "array",
              minItems: 1,
              maxItems: 2,
              items: { type: "string", format: "binary", contentMediaType: "image/*" },
            },
            sourceImage: { type: "string" },
            imageUrl: { type: "string", pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$" },
            ratio: { type: "string", pattern: "\\S", default: "9:16" },
            duration: { type: "integer", enum: [5, 10] },
            seed: { type: "integer" },
            resolution: { type: "string", enum: ["480p", "720p", "1080p"] },
            fps: { type: "string", format: "int32", pattern: "\\S" },
            fixed_camera: { type: "string", enum: ["0", "1"] },
            return_last_frame: { type: "string", enum: ["0", "1"] },
            generate_audio: { type: "string", enum: ["0", "1"] },
          },
        },
      },
    },
    query: {
      id: "queryVideoTask",
      path: "/v1/video/infobytaskid",
      body: {
        type: "object",
        required: ["taskid"],
        properties: { taskid: { type: "string" }, moreTaskInfo: { type: "boolean" } },
      },
    },
    delete: {
      id: "deleteVideoTasks",
      path: "/v1/video/deletevideotask",
      body: {
        type: "object",
        required: ["taskids"],
        properties: { taskids: { type: "array", items: { type: "string" } } },
      },
    },
    statusField: "task_status",
  },
  image: {
    generate: {
      imgmodelv45: {
        id: "generateImgmodelv45",
        path: "/v1/images/imgmodelv45",
        body: {
          type: "object",
          required: ["prompt"],
          properties: {
            category: { type: "string", pattern: "\\S", default: "imgmodelv45" },
            prompt: { type: "string", pattern: "\\S" },
            batchsize: { type: "integer", minimum: 1, maximum: 15, "x-result-count": true },
            resolution: {
              anyOf: [
                { type: "string", enum: ["9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2"] },
                { type: "string", enum: ["2K", "4K"] },
                {
                  type: "string",
                  pattern: "^[1-9][0-9]*x[1-9][0-9]*$",
                  "x-total-pixels": { minimum: 3686400, maximum: 16777216 },
                },
              ],
            },
            "sourceImage.items": { type: "string", format: "binary", contentMediaType: "image/*" },
            sourceImage: { type: "string" },
            imageUrl: { type: "string", pattern: "^https?://\\S+$" },
          },
        },
      },
      imgmodelv5: {
        id: "generateImgmodelv5",
        path: "/v1/images/imgmodelv5",
        body: {
          type: "object",
          required: ["prompt"],
          properties: {
            category: { type: "string", pattern: "\\S" },
            prompt: { type: "string", pattern: "\\S" },
            batchsize: { type: "integer", "x-result-count": true },
            resolution: { type: "string", pattern: "\\S" },
            "sourceImage.items": { type: "string", format: "binary", contentMediaType: "image/*" },
            sourceImage: { type: "string" },
            imageUrl: { type: "string", pattern: "^https?://\\S+$" },
          },
        },
      },
      imgmodelv4: {
        id: "generateImgmodelv4",
        path: "/v1/images/imgmodelv4",
        body: {
          type: "object",
          required: ["prompt"],
          properties: {
            category: { type: "string", pattern: "\\S", default: "imgmodelv4" },
            prompt: { type: "string", pattern: "\\S" },
            batchsize: { type: "integer", minimum: 1, maximum: 15, "x-result-count": true },
            resolution: { type: "string", enum: ["9:16", "16:9", "3:4", "4:3", "1:1"] },
            "sourceImage.items": { type: "string", format: "binary", contentMediaType: "image/*" },
            sourceImage: { type: "string" },
            imageUrl: { type: "string", pattern: "^https?://\\S+$" },
          },
        },
      },
      imgmodelz: {
        id: "generateImgmodelz",
        path: "/v1/images/imgmodelz",
        body: {
          type: "object",
          required: ["prompt"],
          properties: {
            prompt: { type: "string", pattern: "\\S" },
            resolution: { type: "string", pattern: "^[1-9][0-9]*\\*[1-9][0-9]*$" },
            seed: { type: "integer" },
          },
        },
      },
    },
    query: {
      id: "queryImageTask",
      path: "/v1/images/infobytaskid",
      body: { type: "object", required: ["taskid"], properties: { taskid: { type: "string" } } },
    },
    delete: {
      id: "deleteImageTasks",
      path: "/v1/images/deleteimagestask",
      body: {
        type: "object",
        required: ["taskids"],
        properties: { taskids: { type: "array", items: { type: "string" } }, uid: { type: "string" } },
      },
    },
    statusField: "image_status",
  },
};
