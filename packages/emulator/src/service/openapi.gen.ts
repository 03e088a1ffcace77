// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { OpenApiDocument } from "./document.ts";

/** The description of the Media Generation Service. */
export const document: OpenApiDocument = {
  paths: {
    "/v1/video/vidmodelv2": {
      post: {
        tags: ["Video"],
        operationId: "generateVidmodelv2",
        summary: "Generate a video with vidmodelv2",
        description: "Creates one video task from a prompt, one or two source images, or both, and returns its `taskid`.\n\nThe generation is paid and cannot be undone, and the service documents no idempotency key. If the response is\nlost, a task may exist all the same.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What vidmodelv2 and vidmodelv2fast make a video from. A prompt or a source image is needed.",
                anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }],
                "x-assumption": "Which fields the video forms require is not documented. A form with neither a prompt nor a source image is assumed to be a mistake that would be billed. Everything else is left to the service.",
                properties: {
                  prompt: {
                    type: "string",
                    maxLength: 8192,
                    pattern: "\\S",
                    description: "What the video shows.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A fox runs through snow"],
                  },
                  "sourceImage.items": {
                    type: "array",
                    minItems: 1,
                    maxItems: 2,
                    items: { type: "string", format: "binary", contentMediaType: "image/*" },
                    description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).\n",
                    "x-assumption": "The service says that file parts may be sent as `sourceImage.items`; files are always sent under that name, once per file.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  ratio: {
                    type: "string",
                    enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
                    default: "9:16",
                    description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
                  },
                  duration: {
                    type: "integer",
                    enum: [5, 10, 15],
                    default: 5,
                    description: "The length of the video in seconds.",
                  },
                  seed: { type: "integer", description: "The random seed; any integer." },
                  resolution: { type: "string", enum: ["480p", "720p"], default: "720p", description: "The resolution." },
                  fps: {
                    type: "string",
                    format: "int32",
                    pattern: "\\S",
                    default: "24",
                    description: "The frame rate in frames per second. Its valid values are not documented by the service.",
                    "x-assumption": "A frame rate that is a number is assumed to be an integer. A string is sent unchanged. A blank one is assumed to be a mistake that would be billed.",
                  },
                  generate_audio: { type: "string", enum: ["0", "1"], description: "Whether the video has sound; `1` enables." },
                  return_last_frame: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by\nthe service.\n",
                  },
                  execution_expires_after: {
                    type: "integer",
                    minimum: 3600,
                    maximum: 259200,
                    description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.\n",
                  },
                  websearch: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the model may search the web; `1` enables.",
                  },
                },
              },
              examples: {
                prompt: {
                  summary: "A prompt with sound",
                  value: {
                    prompt: "A fox runs through snow",
                    ratio: "16:9",
                    duration: 5,
                    resolution: "720p",
                    generate_audio: "1",
                  },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns.",
                          required: ["taskid"],
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: { code: 1000, msg: "success", data: { taskid: "vt-20260412-7f3a9c" } },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/video/vidmodelv2fast": {
      post: {
        tags: ["Video"],
        operationId: "generateVidmodelv2fast",
        summary: "Generate a video with vidmodelv2fast",
        description: "Creates one video task from the same form as `vidmodelv2` and returns its `taskid`. How the two models differ is\nnot documented by the service.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What vidmodelv2 and vidmodelv2fast make a video from. A prompt or a source image is needed.",
                anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }],
                "x-assumption": "Which fields the video forms require is not documented. A form with neither a prompt nor a source image is assumed to be a mistake that would be billed. Everything else is left to the service.",
                properties: {
                  prompt: {
                    type: "string",
                    maxLength: 8192,
                    pattern: "\\S",
                    description: "What the video shows.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A fox runs through snow"],
                  },
                  "sourceImage.items": {
                    type: "array",
                    minItems: 1,
                    maxItems: 2,
                    items: { type: "string", format: "binary", contentMediaType: "image/*" },
                    description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).\n",
                    "x-assumption": "The service says that file parts may be sent as `sourceImage.items`; files are always sent under that name, once per file.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  ratio: {
                    type: "string",
                    enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
                    default: "9:16",
                    description: "The aspect ratio. How `adaptive` chooses one is not documented by the service.",
                  },
                  duration: {
                    type: "integer",
                    enum: [5, 10, 15],
                    default: 5,
                    description: "The length of the video in seconds.",
                  },
                  seed: { type: "integer", description: "The random seed; any integer." },
                  resolution: { type: "string", enum: ["480p", "720p"], default: "720p", description: "The resolution." },
                  fps: {
                    type: "string",
                    format: "int32",
                    pattern: "\\S",
                    default: "24",
                    description: "The frame rate in frames per second. Its valid values are not documented by the service.",
                    "x-assumption": "A frame rate that is a number is assumed to be an integer. A string is sent unchanged. A blank one is assumed to be a mistake that would be billed.",
                  },
                  generate_audio: { type: "string", enum: ["0", "1"], description: "Whether the video has sound; `1` enables." },
                  return_last_frame: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by\nthe service.\n",
                  },
                  execution_expires_after: {
                    type: "integer",
                    minimum: 3600,
                    maximum: 259200,
                    description: "The number of seconds after which the task expires. What happens to an expired task is not documented by the service.\n",
                  },
                  websearch: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the model may search the web; `1` enables.",
                  },
                },
              },
              examples: {
                prompt: {
                  summary: "A prompt with sound",
                  value: {
                    prompt: "A fox runs through snow",
                    ratio: "16:9",
                    duration: 5,
                    resolution: "720p",
                    generate_audio: "1",
                  },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns.",
                          required: ["taskid"],
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: { code: 1000, msg: "success", data: { taskid: "vt-20260412-7f3a9c" } },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/video/vidmodelv15pro": {
      post: {
        tags: ["Video"],
        operationId: "generateVidmodelv15pro",
        summary: "Generate a video with vidmodelv15pro",
        description: "Creates one video task, up to 1080p, from a prompt and source images given as files or as URLs, and returns\nits `taskid`.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What vidmodelv15pro makes a video from. A prompt or a source image is needed.",
                anyOf: [
                  { required: ["prompt"] },
                  { required: ["sourceImage.items"] },
                  { required: ["sourceImage"] },
                  { required: ["imageUrl"] },
                ],
                "x-assumption": "Which fields the video forms require is not documented. A form with neither a prompt nor a source image is assumed to be a mistake that would be billed. Everything else is left to the service.",
                properties: {
                  prompt: {
                    type: "string",
                    pattern: "\\S",
                    description: "What the video shows.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A lighthouse at dusk"],
                  },
                  "sourceImage.items": {
                    type: "array",
                    minItems: 1,
                    maxItems: 2,
                    items: { type: "string", format: "binary", contentMediaType: "image/*" },
                    description: "One or two source images. The service does not document what two images mean (first and last frame, or two references).\n",
                    "x-assumption": "The service says that file parts may be sent as `sourceImage.items`; files are always sent under that name, once per file.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  imageUrl: {
                    type: "string",
                    pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$",
                    description: "The URLs of source images, separated by commas.",
                    "x-assumption": "Which URLs are accepted is not documented. Anything but an http or https URL is assumed to be a mistake that would be billed without its image.",
                    examples: ["https://example.com/first.png,https://example.com/last.png"],
                  },
                  ratio: {
                    type: "string",
                    pattern: "\\S",
                    default: "9:16",
                    description: "The aspect ratio. Its valid values are not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["16:9"],
                  },
                  duration: { type: "integer", enum: [5, 10], description: "The length of the video in seconds." },
                  seed: { type: "integer", description: "The random seed; any integer." },
                  resolution: { type: "string", enum: ["480p", "720p", "1080p"], description: "The resolution." },
                  fps: {
                    type: "string",
                    format: "int32",
                    pattern: "\\S",
                    description: "The frame rate in frames per second. Its valid values are not documented by the service.",
                    "x-assumption": "A frame rate that is a number is assumed to be an integer. A string is sent unchanged. A blank one is assumed to be a mistake that would be billed.",
                  },
                  fixed_camera: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the camera stays fixed; `1` enables. The field's name is not documented by the service.",
                    "x-assumption": "The name of this flag is not documented; `fixed_camera` follows the service's spelling of other flags.",
                  },
                  return_last_frame: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by\nthe service.\n",
                    "x-assumption": "The name of this flag is not documented for this model. It is assumed to be that of vidmodelv2.",
                  },
                  generate_audio: {
                    type: "string",
                    enum: ["0", "1"],
                    description: "Whether the video has sound; `1` enables.",
                    "x-assumption": "The name of this flag is not documented for this model. It is assumed to be that of vidmodelv2.",
                  },
                },
              },
              examples: {
                camera: {
                  summary: "A fixed camera in full HD",
                  value: {
                    prompt: "A lighthouse at dusk, waves breaking on the rocks",
                    ratio: "16:9",
                    duration: 10,
                    resolution: "1080p",
                    fixed_camera: "1",
                  },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns.",
                          required: ["taskid"],
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: { code: 1000, msg: "success", data: { taskid: "vt-20260412-7f3a9c" } },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/video/infobytaskid": {
      post: {
        tags: ["Video"],
        operationId: "queryVideoTask",
        summary: "Query a video task",
        description: "Returns the record of one video task: its status and, once there are results, their URLs.\n",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                description: "Which video task to query.",
                required: ["taskid"],
                "x-assumption": "Which fields a query requires is not documented; a query without a taskid names no task.",
                properties: {
                  taskid: {
                    type: "string",
                    description: "The task's id, as the generation returned it.",
                    examples: ["vt-20260412-7f3a9c"],
                  },
                  moreTaskInfo: {
                    type: "boolean",
                    description: "Whether to return more information about the task. Its effect on the response is not documented by the service.",
                  },
                },
              },
              examples: { task: { summary: "One task", value: { taskid: "vt-20260412-7f3a9c" } } },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the query.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "The record of a video task.",
                          required: ["taskid", "url"],
                          "x-assumption": "Which fields a record always holds is not documented; taskid and url are assumed to be there, with an empty url until there are results.",
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                            url: {
                              type: "array",
                              items: { type: "string" },
                              description: "The URLs of the results. How long they stay valid is not documented by the service.\n",
                            },
                            task_status: {
                              type: "integer",
                              description: "The status code. The meaning of its values is not documented by the service.",
                            },
                            message: { type: "string", description: "A message about the task." },
                            prompt: { type: "string", description: "The prompt used." },
                            imageurl: { type: "string", description: "The URL of the source image." },
                            resolution: { type: "string", description: "The resolution used." },
                            fps: { type: "integer", description: "The frame rate, frames per second." },
                            source: { type: "string", description: "Where the task came from." },
                            duration: { type: "integer", description: "The length of the video in seconds." },
                            seed: { type: "integer", description: "The random seed used." },
                            ratio: { type: "string", description: "The aspect ratio." },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "The record of a task with its result",
                    value: {
                      code: 1000,
                      msg: "success",
                      data: {
                        taskid: "vt-20260412-7f3a9c",
                        url: ["https://results.example.com/vt-20260412-7f3a9c/1.mp4"],
                        task_status: 2,
                        message: "",
                        prompt: "A fox runs through snow",
                        imageurl: "https://results.example.com/vt-20260412-7f3a9c/source-1.png",
                        resolution: "720p",
                        fps: 24,
                        source: "api",
                        duration: 5,
                        seed: 20260412,
                        ratio: "16:9",
                      },
                    },
                  },
                  failure: {
                    summary: "The request failed",
                    value: { code: 9999, msg: "The request could not be carried out" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/video/deletevideotask": {
      post: {
        tags: ["Video"],
        operationId: "deleteVideoTasks",
        summary: "Delete video tasks",
        description: "Removes the named video tasks, several at a time. The service does not document what happens to unknown or already\nremoved ids, nor whether deleting a running task stops or refunds it.\n",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                description: "Which video tasks to delete.",
                required: ["taskids"],
                "x-assumption": "Which fields a deletion requires is not documented; a deletion without taskids names no task.",
                properties: {
                  taskids: {
                    type: "array",
                    items: {
                      type: "string",
                      description: "The task's id, as the generation returned it.",
                      examples: ["vt-20260412-7f3a9c"],
                    },
                    description: "The ids of the tasks to delete. The maximum number is not documented by the service.",
                  },
                },
              },
              examples: {
                tasks: { summary: "Two tasks", value: { taskids: ["vt-20260412-7f3a9c", "vt-20260412-b41d02"] } },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the deletion.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a deletion returns.",
                          required: ["status"],
                          "x-assumption": "Whether the status is always there is not documented; it is assumed to be.",
                          properties: {
                            status: {
                              type: "string",
                              description: "The result of the deletion, `Success` if it succeeded. Other values are not documented by the service.",
                              examples: ["Success"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "The tasks were removed",
                    value: { code: 1000, msg: "success", data: { status: "Success" } },
                  },
                  failure: {
                    summary: "The request failed",
                    value: { code: 9999, msg: "The request could not be carried out" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/imgmodelv45": {
      post: {
        tags: ["Image"],
        operationId: "generateImgmodelv45",
        summary: "Generate images with imgmodelv45",
        description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its\n`taskid`.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What imgmodelv45 makes images from.",
                required: ["prompt"],
                properties: {
                  category: {
                    type: "string",
                    pattern: "\\S",
                    default: "imgmodelv45",
                    description: "The category identifier. Other values are not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                  },
                  prompt: {
                    type: "string",
                    pattern: "\\S",
                    description: "What the image shows. The maximum length is not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A red bicycle against a yellow wall"],
                  },
                  batchsize: {
                    type: "integer",
                    minimum: 1,
                    maximum: 15,
                    "x-result-count": true,
                    description: "The number of images. The default is not documented by the service; its usage example has 1.",
                    "x-assumption": "What the batch size counts is not documented beyond its name. It is assumed to be the number of images, each with one result URL.",
                    examples: [1],
                  },
                  resolution: {
                    description: "The aspect ratio, the level, or the exact size of the images.",
                    anyOf: [
                      {
                        type: "string",
                        enum: ["9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2"],
                        description: "An aspect ratio.",
                      },
                      { type: "string", enum: ["2K", "4K"], description: "A level." },
                      {
                        type: "string",
                        pattern: "^[1-9][0-9]*x[1-9][0-9]*$",
                        "x-total-pixels": { minimum: 3686400, maximum: 16777216 },
                        description: "An exact size, `<width>x<height>` in pixels. Width times height must be from 3,686,400 to 16,777,216.\nA total of 2,250,000 is invalid, a total of 4,687,500 is valid.\n",
                      },
                    ],
                    examples: ["16:9", "2K", "2560x1440"],
                  },
                  "sourceImage.items": {
                    type: "string",
                    format: "binary",
                    contentMediaType: "image/*",
                    description: "The source image.",
                    "x-assumption": "How many source images an image form takes is not documented beyond \"source image file\"; one is sent. The part name is documented for imgmodelv45 alone and assumed for the others.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  imageUrl: {
                    type: "string",
                    pattern: "^https?://\\S+$",
                    description: "The URL of a source image.",
                    "x-assumption": "Which URLs are accepted is not documented. Anything but an http or https URL is assumed to be a mistake that would be billed without its image.",
                    examples: ["https://example.com/source.png"],
                  },
                },
              },
              examples: {
                batch: {
                  summary: "Four wide pictures",
                  value: {
                    category: "imgmodelv45",
                    prompt: "A red bicycle against a yellow wall",
                    batchsize: 4,
                    resolution: "2560x1440",
                  },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns.",
                          required: ["taskid"],
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: { code: 1000, msg: "success", data: { taskid: "it-20260412-52e8d1" } },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/imgmodelv5": {
      post: {
        tags: ["Image"],
        operationId: "generateImgmodelv5",
        summary: "Generate images with imgmodelv5",
        description: "Creates one image task from a prompt, optionally with a source image, and returns its `taskid` and a `url`.\nThe limits, defaults and valid values of this form's fields are not documented by the service.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What imgmodelv5 makes images from: the fields of imgmodelv45. Their limits, defaults and valid values are not\ndocumented by the service, so none is checked.\n",
                required: ["prompt"],
                properties: {
                  category: {
                    type: "string",
                    pattern: "\\S",
                    description: "The category identifier. Its valid values are not documented by the service; `imgmodelv5` is in use.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["imgmodelv5"],
                  },
                  prompt: {
                    type: "string",
                    pattern: "\\S",
                    description: "What the image shows. The maximum length is not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A red bicycle against a yellow wall"],
                  },
                  batchsize: {
                    type: "integer",
                    "x-result-count": true,
                    description: "The number of images. Its limits and default are not documented by the service.",
                    "x-assumption": "What the batch size counts is not documented beyond its name. It is assumed to be the number of images, each with one result URL.",
                    examples: [1],
                  },
                  resolution: {
                    type: "string",
                    pattern: "\\S",
                    description: "The resolution. Its valid values are not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["2K"],
                  },
                  "sourceImage.items": {
                    type: "string",
                    format: "binary",
                    contentMediaType: "image/*",
                    description: "The source image.",
                    "x-assumption": "How many source images an image form takes is not documented beyond \"source image file\"; one is sent. The part name is documented for imgmodelv45 alone and assumed for the others.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  imageUrl: {
                    type: "string",
                    pattern: "^https?://\\S+$",
                    description: "The URL of a source image.",
                    "x-assumption": "Which URLs are accepted is not documented. Anything but an http or https URL is assumed to be a mistake that would be billed without its image.",
                    examples: ["https://example.com/source.png"],
                  },
                },
              },
              examples: {
                picture: {
                  summary: "One picture",
                  value: { category: "imgmodelv5", prompt: "A paper boat on a puddle, macro photograph", batchsize: 1 },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns if it also has a URL.",
                          required: ["taskid", "url"],
                          "x-assumption": "Whether the URL is always there is not documented; it is assumed to be.",
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                            url: {
                              type: "string",
                              description: "A URL. Whether the result is there at once is not documented by the service.",
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: {
                      code: 1000,
                      msg: "success",
                      data: { taskid: "it-20260412-52e8d1", url: "https://results.example.com/it-20260412-52e8d1/1.png" },
                    },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/imgmodelv4": {
      post: {
        tags: ["Image"],
        operationId: "generateImgmodelv4",
        summary: "Generate images with imgmodelv4",
        description: "Creates one task of one or more images from a prompt, optionally with a source image, and returns its\n`taskid`.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What imgmodelv4 makes images from.",
                required: ["prompt"],
                properties: {
                  category: {
                    type: "string",
                    pattern: "\\S",
                    default: "imgmodelv4",
                    description: "The category identifier. Other values are not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                  },
                  prompt: {
                    type: "string",
                    pattern: "\\S",
                    description: "What the image shows. The maximum length is not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A red bicycle against a yellow wall"],
                  },
                  batchsize: {
                    type: "integer",
                    minimum: 1,
                    maximum: 15,
                    "x-result-count": true,
                    description: "The number of images. The default is not documented by the service.",
                    "x-assumption": "What the batch size counts is not documented beyond its name. It is assumed to be the number of images, each with one result URL.",
                  },
                  resolution: {
                    type: "string",
                    enum: ["9:16", "16:9", "3:4", "4:3", "1:1"],
                    description: "The aspect ratio of the images.",
                  },
                  "sourceImage.items": {
                    type: "string",
                    format: "binary",
                    contentMediaType: "image/*",
                    description: "The source image.",
                    "x-assumption": "How many source images an image form takes is not documented beyond \"source image file\"; one is sent. The part name is documented for imgmodelv45 alone and assumed for the others.",
                  },
                  sourceImage: {
                    type: "string",
                    description: "A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a\npath on your machine has no meaning there.\n",
                    "x-assumption": "The text part is documented for the video models and imgmodelv45, and assumed for the other image models.",
                  },
                  imageUrl: {
                    type: "string",
                    pattern: "^https?://\\S+$",
                    description: "The URL of a source image.",
                    "x-assumption": "Which URLs are accepted is not documented. Anything but an http or https URL is assumed to be a mistake that would be billed without its image.",
                    examples: ["https://example.com/source.png"],
                  },
                },
              },
              examples: {
                portrait: {
                  summary: "Two upright pictures",
                  value: {
                    category: "imgmodelv4",
                    prompt: "An astronaut reading under a tree",
                    batchsize: 2,
                    resolution: "3:4",
                  },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns.",
                          required: ["taskid"],
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: { code: 1000, msg: "success", data: { taskid: "it-20260412-52e8d1" } },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/imgmodelz": {
      post: {
        tags: ["Image"],
        operationId: "generateImgmodelz",
        summary: "Generate an image with imgmodelz",
        description: "Creates one image task from a prompt alone and returns its `taskid` and a `url`.\n",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                description: "What imgmodelz makes an image from. The limits of its fields are not documented by the service.",
                required: ["prompt"],
                "x-assumption": "The field table of imgmodelz does not say which fields are required. `prompt` is, by the general rule for image generations.",
                properties: {
                  prompt: {
                    type: "string",
                    pattern: "\\S",
                    description: "What the image shows. The maximum length is not documented by the service.",
                    "x-assumption": "Whether blank text is accepted is not documented. It is assumed to be a mistake that would be billed.",
                    examples: ["A red bicycle against a yellow wall"],
                  },
                  resolution: {
                    type: "string",
                    pattern: "^[1-9][0-9]*\\*[1-9][0-9]*$",
                    description: "The size, `<width>*<height>` in pixels, joined by an asterisk. The valid sizes are not documented by the service.\n",
                    examples: ["1024*1536"],
                  },
                  seed: {
                    type: "integer",
                    "x-result-count": false,
                    description: "The random seed. Its limits are not documented by the service.",
                  },
                },
              },
              examples: {
                picture: {
                  summary: "A picture that can be made again",
                  value: { prompt: "A bowl of oranges in the style of a woodcut", resolution: "1024*1536", seed: 42 },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the generation.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a generation returns if it also has a URL.",
                          required: ["taskid", "url"],
                          "x-assumption": "Whether the URL is always there is not documented; it is assumed to be.",
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                            url: {
                              type: "string",
                              description: "A URL. Whether the result is there at once is not documented by the service.",
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "A task was created",
                    value: {
                      code: 1000,
                      msg: "success",
                      data: { taskid: "it-20260412-52e8d1", url: "https://results.example.com/it-20260412-52e8d1/1.png" },
                    },
                  },
                  failure: {
                    summary: "The generation was rejected",
                    value: { code: 9999, msg: "The task could not be created" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/infobytaskid": {
      post: {
        tags: ["Image"],
        operationId: "queryImageTask",
        summary: "Query an image task",
        description: "Returns the record of one image task: its status and, once there are results, their URLs.\n",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                description: "Which image task to query.",
                required: ["taskid"],
                "x-assumption": "Which fields a query requires is not documented; a query without a taskid names no task.",
                properties: {
                  taskid: {
                    type: "string",
                    description: "The task's id, as the generation returned it.",
                    examples: ["vt-20260412-7f3a9c"],
                  },
                },
              },
              examples: { task: { summary: "One task", value: { taskid: "it-20260412-52e8d1" } } },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the query.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "The record of an image task.",
                          required: ["taskid", "url"],
                          "x-assumption": "Which fields a record always holds is not documented; taskid and url are assumed to be there, with an empty url until there are results.",
                          properties: {
                            taskid: {
                              type: "string",
                              description: "The task's id, as the generation returned it.",
                              examples: ["vt-20260412-7f3a9c"],
                            },
                            starttime: {
                              type: "string",
                              pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
                              description: "When the task started, as a local date and time: `YYYY-MM-DD HH:MM:SS`. The time zone is not documented by the\nservice.\n",
                            },
                            url: {
                              type: "array",
                              items: { type: "string" },
                              description: "The URLs of the results. How long they stay valid is not documented by the service.\n",
                            },
                            image_status: {
                              type: "integer",
                              description: "The status code. The meaning of its values is not documented by the service.",
                            },
                            width: { type: "integer", description: "The width in pixels." },
                            height: { type: "integer", description: "The height in pixels." },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "The record of a task with two results",
                    value: {
                      code: 1000,
                      msg: "success",
                      data: {
                        taskid: "it-20260412-52e8d1",
                        starttime: "2026-04-12 09:30:00",
                        url: [
                          "https://results.example.com/it-20260412-52e8d1/1.png",
                          "https://results.example.com/it-20260412-52e8d1/2.png",
                        ],
                        image_status: 2,
                        width: 2560,
                        height: 1440,
                      },
                    },
                  },
                  failure: {
                    summary: "The request failed",
                    value: { code: 9999, msg: "The request could not be carried out" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/v1/images/deleteimagestask": {
      post: {
        tags: ["Image"],
        operationId: "deleteImageTasks",
        summary: "Delete image tasks",
        description: "Removes the named image tasks, several at a time. The service does not document what happens to unknown or already\nremoved ids, nor whether deleting a running task stops or refunds it.\n",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                description: "Which image tasks to delete.",
                required: ["taskids"],
                "x-assumption": "Which fields a deletion requires is not documented; a deletion without taskids names no task.",
                properties: {
                  taskids: {
                    type: "array",
                    items: {
                      type: "string",
                      description: "The task's id, as the generation returned it.",
                      examples: ["vt-20260412-7f3a9c"],
                    },
                    description: "The ids of the tasks to delete. The maximum number is not documented by the service.",
                  },
                  uid: { type: "string", description: "A user id. Its meaning is not documented by the service." },
                },
              },
              examples: {
                tasks: { summary: "One task of a user", value: { taskids: ["it-20260412-52e8d1"], uid: "user-17" } },
              },
            },
          },
        },
        responses: {
          "200": {
            description: "The outcome of the deletion.",
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    {
                      type: "object",
                      required: ["code", "msg", "data"],
                      properties: {
                        code: { type: "integer", const: 1000, description: "Success." },
                        msg: { type: "string", description: "A message for people." },
                        data: {
                          type: "object",
                          description: "What a deletion returns.",
                          required: ["status"],
                          "x-assumption": "Whether the status is always there is not documented; it is assumed to be.",
                          properties: {
                            status: {
                              type: "string",
                              description: "The result of the deletion, `Success` if it succeeded. Other values are not documented by the service.",
                              examples: ["Success"],
                            },
                          },
                        },
                      },
                    },
                    {
                      type: "object",
                      description: "The request failed; there is no data. Which conditions lead to it is not documented by the service.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9999, description: "Failure." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                    {
                      type: "object",
                      description: "The balance does not cover the request; there is no data.",
                      required: ["code", "msg"],
                      properties: {
                        code: { type: "integer", const: 9000, description: "Insufficient credits." },
                        msg: { type: "string", description: "A message for people." },
                      },
                    },
                  ],
                },
                examples: {
                  success: {
                    summary: "The tasks were removed",
                    value: { code: 1000, msg: "success", data: { status: "Success" } },
                  },
                  failure: {
                    summary: "The request failed",
                    value: { code: 9999, msg: "The request could not be carried out" },
                  },
                  insufficientCredits: {
                    summary: "The balance does not cover the request",
                    value: { code: 9000, msg: "Insufficient credits" },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
