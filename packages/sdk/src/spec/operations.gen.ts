// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { KindOperations } from "./operation.ts";
import type { Kind } from "./types.gen.ts";

/** Every kind. */
export const kinds: readonly Kind[] = ["video", "image"];

/** The codes of the envelope. */
export const codes = { success: 1000, failure: 9999, insufficientCredits: 9000 } as const;

/** Every operation of the service, by kind. */
export const operations: Readonly<Record<Kind, KindOperations>> = {
  video: {
    generate: {
      vidmodelv2: {
        id: "generateVidmodelv2",
        path: "/v1/video/vidmodelv2",
        body: {
          needs: [["prompt", "sourceImage"]],
          fields: [
            {
              field: "prompt",
              takes: "text",
              expected: "non-blank text of at most 8192 characters",
              pattern: "\\S",
              max: 8192,
            },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "1 to 2 image files",
              many: true,
              item: "an image file",
              min: 1,
              max: 2,
              isImage: true,
              acceptsText: true,
            },
            {
              field: "ratio",
              takes: "text",
              expected: "one of \"16:9\", \"4:3\", \"1:1\", \"3:4\", \"9:16\", \"21:9\" or \"adaptive\"",
              values: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
              default: "9:16",
            },
            {
              field: "duration",
              takes: "number",
              expected: "one of 5, 10 or 15",
              values: [5, 10, 15],
              default: 5,
              isWhole: true,
            },
            { field: "seed", takes: "number", expected: "a whole number", isWhole: true },
            {
              field: "resolution",
              takes: "text",
              expected: "\"480p\" or \"720p\"",
              values: ["480p", "720p"],
              default: "720p",
            },
            {
              field: "fps",
              takes: "text",
              expected: "non-blank text or a 32-bit whole number",
              pattern: "\\S",
              default: "24",
              isWhole: true,
            },
            {
              field: "generate_audio",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "return_last_frame",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "execution_expires_after",
              takes: "number",
              expected: "a whole number from 3600 to 259200",
              min: 3600,
              max: 259200,
              isWhole: true,
            },
            {
              field: "websearch",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
          ],
        },
      },
      vidmodelv2fast: {
        id: "generateVidmodelv2fast",
        path: "/v1/video/vidmodelv2fast",
        body: {
          needs: [["prompt", "sourceImage"]],
          fields: [
            {
              field: "prompt",
              takes: "text",
              expected: "non-blank text of at most 8192 characters",
              pattern: "\\S",
              max: 8192,
            },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "1 to 2 image files",
              many: true,
              item: "an image file",
              min: 1,
              max: 2,
              isImage: true,
              acceptsText: true,
            },
            {
              field: "ratio",
              takes: "text",
              expected: "one of \"16:9\", \"4:3\", \"1:1\", \"3:4\", \"9:16\", \"21:9\" or \"adaptive\"",
              values: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
              default: "9:16",
            },
            {
              field: "duration",
              takes: "number",
              expected: "one of 5, 10 or 15",
              values: [5, 10, 15],
              default: 5,
              isWhole: true,
            },
            { field: "seed", takes: "number", expected: "a whole number", isWhole: true },
            {
              field: "resolution",
              takes: "text",
              expected: "\"480p\" or \"720p\"",
              values: ["480p", "720p"],
              default: "720p",
            },
            {
              field: "fps",
              takes: "text",
              expected: "non-blank text or a 32-bit whole number",
              pattern: "\\S",
              default: "24",
              isWhole: true,
            },
            {
              field: "generate_audio",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "return_last_frame",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "execution_expires_after",
              takes: "number",
              expected: "a whole number from 3600 to 259200",
              min: 3600,
              max: 259200,
              isWhole: true,
            },
            {
              field: "websearch",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
          ],
        },
      },
      vidmodelv15pro: {
        id: "generateVidmodelv15pro",
        path: "/v1/video/vidmodelv15pro",
        body: {
          needs: [["prompt", "sourceImage", "imageUrl"]],
          fields: [
            { field: "prompt", takes: "text", expected: "non-blank text", pattern: "\\S" },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "1 to 2 image files",
              many: true,
              item: "an image file",
              min: 1,
              max: 2,
              isImage: true,
              acceptsText: true,
            },
            {
              field: "imageUrl",
              takes: "text",
              expected: "http or https URLs separated by commas",
              pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$",
            },
            { field: "ratio", takes: "text", expected: "non-blank text", pattern: "\\S", default: "9:16" },
            { field: "duration", takes: "number", expected: "5 or 10", values: [5, 10], isWhole: true },
            { field: "seed", takes: "number", expected: "a whole number", isWhole: true },
            {
              field: "resolution",
              takes: "text",
              expected: "one of \"480p\", \"720p\" or \"1080p\"",
              values: ["480p", "720p", "1080p"],
            },
            {
              field: "fps",
              takes: "text",
              expected: "non-blank text or a 32-bit whole number",
              pattern: "\\S",
              isWhole: true,
            },
            {
              field: "fixed_camera",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "return_last_frame",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
            {
              field: "generate_audio",
              takes: "flag",
              expected: "one of true, false, \"0\" or \"1\"",
              values: ["0", "1"],
            },
          ],
        },
      },
    },
    query: {
      id: "queryVideoTask",
      path: "/v1/video/infobytaskid",
      body: {
        needs: [["taskid"]],
        fields: [
          { field: "taskid", takes: "text", expected: "text", required: true },
          { field: "moreTaskInfo", takes: "flag", expected: "true or false" },
        ],
      },
    },
    delete: {
      id: "deleteVideoTasks",
      path: "/v1/video/deletevideotask",
      body: {
        needs: [["taskids"]],
        fields: [
          {
            field: "taskids",
            takes: "text",
            expected: "a list, each text",
            required: true,
            many: true,
            item: "text",
          },
        ],
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
          needs: [["prompt"]],
          fields: [
            {
              field: "category",
              takes: "text",
              expected: "non-blank text",
              pattern: "\\S",
              default: "imgmodelv45",
            },
            { field: "prompt", takes: "text", expected: "non-blank text", required: true, pattern: "\\S" },
            {
              field: "batchsize",
              takes: "number",
              expected: "a whole number from 1 to 15",
              min: 1,
              max: 15,
              isWhole: true,
              countsResults: true,
            },
            {
              field: "resolution",
              takes: "text",
              expected: "one of \"9:16\", \"16:9\", \"3:4\", \"4:3\", \"1:1\", \"2:3\", \"3:2\", \"2K\" or \"4K\"; or <width>x<height> with 3686400 to 16777216 pixels in total",
              values: ["9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2", "2K", "4K"],
              pattern: "^[1-9][0-9]*x[1-9][0-9]*$",
              pixels: [3686400, 16777216],
            },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "an image file",
              isImage: true,
              acceptsText: true,
            },
            { field: "imageUrl", takes: "text", expected: "an http or https URL", pattern: "^https?://\\S+$" },
          ],
        },
      },
      imgmodelv5: {
        id: "generateImgmodelv5",
        path: "/v1/images/imgmodelv5",
        body: {
          needs: [["prompt"]],
          fields: [
            { field: "category", takes: "text", expected: "non-blank text", pattern: "\\S" },
            { field: "prompt", takes: "text", expected: "non-blank text", required: true, pattern: "\\S" },
            {
              field: "batchsize",
              takes: "number",
              expected: "a whole number",
              isWhole: true,
              countsResults: true,
            },
            { field: "resolution", takes: "text", expected: "non-blank text", pattern: "\\S" },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "an image file",
              isImage: true,
              acceptsText: true,
            },
            { field: "imageUrl", takes: "text", expected: "an http or https URL", pattern: "^https?://\\S+$" },
          ],
        },
      },
      imgmodelv4: {
        id: "generateImgmodelv4",
        path: "/v1/images/imgmodelv4",
        body: {
          needs: [["prompt"]],
          fields: [
            {
              field: "category",
              takes: "text",
              expected: "non-blank text",
              pattern: "\\S",
              default: "imgmodelv4",
            },
            { field: "prompt", takes: "text", expected: "non-blank text", required: true, pattern: "\\S" },
            {
              field: "batchsize",
              takes: "number",
              expected: "a whole number from 1 to 15",
              min: 1,
              max: 15,
              isWhole: true,
              countsResults: true,
            },
            {
              field: "resolution",
              takes: "text",
              expected: "one of \"9:16\", \"16:9\", \"3:4\", \"4:3\" or \"1:1\"",
              values: ["9:16", "16:9", "3:4", "4:3", "1:1"],
            },
            {
              field: "sourceImage",
              part: "sourceImage.items",
              takes: "file",
              expected: "an image file",
              isImage: true,
              acceptsText: true,
            },
            { field: "imageUrl", takes: "text", expected: "an http or https URL", pattern: "^https?://\\S+$" },
          ],
        },
      },
      imgmodelz: {
        id: "generateImgmodelz",
        path: "/v1/images/imgmodelz",
        body: {
          needs: [["prompt"]],
          fields: [
            { field: "prompt", takes: "text", expected: "non-blank text", required: true, pattern: "\\S" },
            {
              field: "resolution",
              takes: "text",
              expected: "<width>*<height>",
              pattern: "^[1-9][0-9]*\\*[1-9][0-9]*$",
            },
            { field: "seed", takes: "number", expected: "a whole number", isWhole: true },
          ],
        },
      },
    },
    query: {
      id: "queryImageTask",
      path: "/v1/images/infobytaskid",
      body: {
        needs: [["taskid"]],
        fields: [{ field: "taskid", takes: "text", expected: "text", required: true }],
      },
    },
    delete: {
      id: "deleteImageTasks",
      path: "/v1/images/deleteimagestask",
      body: {
        needs: [["taskids"]],
        fields: [
          {
            field: "taskids",
            takes: "text",
            expected: "a list, each text",
            required: true,
            many: true,
            item: "text",
          },
          { field: "uid", takes: "text", expected: "text" },
        ],
      },
    },
    statusField: "image_status",
  },
};
