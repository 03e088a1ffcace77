// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

export interface paths {
    "/v1/video/vidmodelv2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a video with vidmodelv2
         * @description Creates one video task from a prompt, one or two source images, or both, and returns its `taskid`.
         *
         *     The generation is paid and cannot be undone, and the service documents no idempotency key. If the response is
         *     lost, a task may exist all the same.
         */
        post: operations["generateVidmodelv2"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/video/vidmodelv2fast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a video with vidmodelv2fast
         * @description Creates one video task from the same form as `vidmodelv2` and returns its `taskid`. How the two models differ is
         *     not documented by the service.
         */
        post: operations["generateVidmodelv2fast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/video/vidmodelv15pro": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a video with vidmodelv15pro
         * @description Creates one video task, up to 1080p, from a prompt and source images given as files or as URLs, and returns
         *     its `taskid`.
         */
        post: operations["generateVidmodelv15pro"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/video/infobytaskid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query a video task
         * @description Returns the record of one video task: its status and, once there are results, their URLs.
         */
        post: operations["queryVideoTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/video/deletevideotask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete video tasks
         * @description Removes the named video tasks, several at a time. The service does not document what happens to unknown or already
         *     removed ids, nor whether deleting a running task stops or refunds it.
         */
        post: operations["deleteVideoTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/imgmodelv45": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate images with imgmodelv45
         * @description Creates one task of one or more images from a prompt, optionally with a source image, and returns its
         *     `taskid`.
         */
        post: operations["generateImgmodelv45"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/imgmodelv5": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate images with imgmodelv5
         * @description Creates one image task from a prompt, optionally with a source image, and returns its `taskid` and a `url`.
         *     The limits, defaults and valid values of this form's fields are not documented by the service.
         */
        post: operations["generateImgmodelv5"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/imgmodelv4": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate images with imgmodelv4
         * @description Creates one task of one or more images from a prompt, optionally with a source image, and returns its
         *     `taskid`.
         */
        post: operations["generateImgmodelv4"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/imgmodelz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate an image with imgmodelz
         * @description Creates one image task from a prompt alone and returns its `taskid` and a `url`.
         */
        post: operations["generateImgmodelz"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/infobytaskid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query an image task
         * @description Returns the record of one image task: its status and, once there are results, their URLs.
         */
        post: operations["queryImageTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/deleteimagestask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete image tasks
         * @description Removes the named image tasks, several at a time. The service does not document what happens to unknown or already
         *     removed ids, nor whether deleting a running task stops or refunds it.
         */
        post: operations["deleteImageTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The form of vidmodelv2 and vidmodelv2fast. A prompt or a source image is needed. */
        Vidmodelv2Form: {
            /**
             * @description What the video shows.
             * @example A fox runs through snow
             */
            prompt?: string;
            "sourceImage.items"?: components["schemas"]["SourceImageFiles"];
            sourceImage?: components["schemas"]["SourceImageText"];
            /**
             * @description The aspect ratio. How `adaptive` chooses one is not documented by the service.
             * @default 9:16
             * @enum {string}
             */
            ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9" | "adaptive";
            /**
             * @description The length of the video in seconds.
             * @default 5
             * @enum {integer}
             */
            duration?: 5 | 10 | 15;
            seed?: components["schemas"]["Seed"];
            /**
             * @description The resolution.
             * @default 720p
             * @enum {string}
             */
            resolution?: "480p" | "720p";
            /**
             * Format: int32
             * @description The frame rate in frames per second. Its valid values are not documented by the service.
             * @default 24
             */
            fps?: string;
            generate_audio?: components["schemas"]["GenerateAudio"];
            return_last_frame?: components["schemas"]["ReturnLastFrame"];
            /** @description The number of seconds after which the task expires. What happens to an expired task is not documented by the service. */
            execution_expires_after?: number;
            /**
             * @description Whether the model may search the web; `1` enables.
             * @enum {string}
             */
            websearch?: "0" | "1";
        };
        /** @description The form of vidmodelv15pro. A prompt or a source image is needed. */
        Vidmodelv15proForm: {
            /**
             * @description What the video shows.
             * @example A lighthouse at dusk
             */
            prompt?: string;
            "sourceImage.items"?: components["schemas"]["SourceImageFiles"];
            sourceImage?: components["schemas"]["SourceImageText"];
            /**
             * @description The URLs of source images, separated by commas.
             * @example https://example.com/first.png,https://example.com/last.png
             */
            imageUrl?: string;
            /**
             * @description The aspect ratio. Its valid values are not documented by the service.
             * @default 9:16
             * @example 16:9
             */
            ratio?: string;
            /**
             * @description The length of the video in seconds.
             * @enum {integer}
             */
            duration?: 5 | 10;
            seed?: components["schemas"]["Seed"];
            /**
             * @description The resolution.
             * @enum {string}
             */
            resolution?: "480p" | "720p" | "1080p";
            /**
             * Format: int32
             * @description The frame rate in frames per second. Its valid values are not documented by the service.
             */
            fps?: string;
            /**
             * @description Whether the camera stays fixed; `1` enables. The field's name is not documented by the service.
             * @enum {string}
             */
            fixed_camera?: "0" | "1";
            return_last_frame?: components["schemas"]["ReturnLastFrame"];
            generate_audio?: components["schemas"]["GenerateAudio"];
        };
        /** @description The form of imgmodelv45. */
        Imgmodelv45Form: {
            /**
             * @description The category identifier. Other values are not documented by the service.
             * @default imgmodelv45
             */
            category?: string;
            prompt: components["schemas"]["ImagePrompt"];
            /**
             * @description The number of images. The default is not documented by the service; its usage example has 1.
             * @example 1
             */
            batchsize?: number;
            /**
             * @description The aspect ratio, the level, or the exact size of the images.
             * @example 16:9
             * @example 2K
             * @example 2560x1440
             */
            resolution?: ("9:16" | "16:9" | "3:4" | "4:3" | "1:1" | "2:3" | "3:2") | ("2K" | "4K") | string;
            "sourceImage.items"?: components["schemas"]["SourceImageFile"];
            sourceImage?: components["schemas"]["SourceImageText"];
            imageUrl?: components["schemas"]["ImageUrl"];
        };
        /**
         * @description The form of imgmodelv5: the fields of imgmodelv45. Their limits, defaults and valid values are not
         *     documented by the service, so none is checked.
         */
        Imgmodelv5Form: {
            /**
             * @description The category identifier. Its valid values are not documented by the service; `imgmodelv5` is in use.
             * @example imgmodelv5
             */
            category?: string;
            prompt: components["schemas"]["ImagePrompt"];
            /**
             * @description The number of images. Its limits and default are not documented by the service.
             * @example 1
             */
            batchsize?: number;
            /**
             * @description The resolution. Its valid values are not documented by the service.
             * @example 2K
             */
            resolution?: string;
            "sourceImage.items"?: components["schemas"]["SourceImageFile"];
            sourceImage?: components["schemas"]["SourceImageText"];
            imageUrl?: components["schemas"]["ImageUrl"];
        };
        /** @description The form of imgmodelv4. */
        Imgmodelv4Form: {
            /**
             * @description The category identifier. Other values are not documented by the service.
             * @default imgmodelv4
             */
            category?: string;
            prompt: components["schemas"]["ImagePrompt"];
            /** @description The number of images. The default is not documented by the service. */
            batchsize?: number;
            /**
             * @description The aspect ratio of the images.
             * @enum {string}
             */
            resolution?: "9:16" | "16:9" | "3:4" | "4:3" | "1:1";
            "sourceImage.items"?: components["schemas"]["SourceImageFile"];
            sourceImage?: components["schemas"]["SourceImageText"];
            imageUrl?: components["schemas"]["ImageUrl"];
        };
        /** @description The form of imgmodelz. The limits of its fields are not documented by the service. */
        ImgmodelzForm: {
            prompt: components["schemas"]["ImagePrompt"];
            /**
             * @description The size, `<width>*<height>` in pixels, joined by an asterisk. The valid sizes are not documented by the service.
             * @example 1024*1536
             */
            resolution?: string;
            /** @description The random seed. Its limits are not documented by the service. */
            seed?: number;
        };
        /**
         * @description What the image shows. The maximum length is not documented by the service.
         * @example A red bicycle against a yellow wall
         */
        ImagePrompt: string;
        /** @description The random seed; any integer. */
        Seed: number;
        /**
         * Format: binary
         * @description The source image.
         */
        SourceImageFile: Blob;
        /** @description One or two source images. The service does not document what two images mean (first and last frame, or two references). */
        SourceImageFiles: Blob[];
        /**
         * @description A text part of this name also appears in the service's forms. What it may hold is not documented by the service; a
         *     path on your machine has no meaning there.
         */
        SourceImageText: string;
        /**
         * @description The URL of a source image.
         * @example https://example.com/source.png
         */
        ImageUrl: string;
        /**
         * @description Whether the video has sound; `1` enables.
         * @enum {string}
         */
        GenerateAudio: "0" | "1";
        /**
         * @description Whether the last frame is returned as well; `1` enables. What it adds to the record's `url` is not documented by
         *     the service.
         * @enum {string}
         */
        ReturnLastFrame: "0" | "1";
        /** @description Which video task to query. */
        VideoTaskQuery: {
            taskid: components["schemas"]["TaskId"];
            /** @description Whether to return more information about the task. Its effect on the response is not documented by the service. */
            moreTaskInfo?: boolean;
        };
        /** @description Which image task to query. */
        ImageTaskQuery: {
            taskid: components["schemas"]["TaskId"];
        };
        /** @description Which video tasks to delete. */
        VideoTaskDeletion: {
            taskids: components["schemas"]["TaskIds"];
        };
        /** @description Which image tasks to delete. */
        ImageTaskDeletion: {
            taskids: components["schemas"]["TaskIds"];
            /** @description A user id. Its meaning is not documented by the service. */
            uid?: string;
        };
        /**
         * @description The task's id, as the generation returned it.
         * @example vt-20260412-7f3a9c
         */
        TaskId: string;
        /** @description The ids of the tasks to delete. The maximum number is not documented by the service. */
        TaskIds: components["schemas"]["TaskId"][];
        /** @description The record of a video task. */
        VideoTask: {
            taskid: components["schemas"]["TaskId"];
            url: components["schemas"]["ResultUrls"];
            /** @description The status code. The meaning of its values is not documented by the service. */
            task_status?: number;
            /** @description A message about the task. */
            message?: string;
            /** @description The prompt used. */
            prompt?: string;
            /** @description The URL of the source image. */
            imageurl?: string;
            /** @description The resolution used. */
            resolution?: string;
            /** @description The frame rate, frames per second. */
            fps?: number;
            /** @description Where the task came from. */
            source?: string;
            /** @description The length of the video in seconds. */
            duration?: number;
            /** @description The random seed used. */
            seed?: number;
            /** @description The aspect ratio. */
            ratio?: string;
        };
        /** @description The record of an image task. */
        ImageTask: {
            taskid: components["schemas"]["TaskId"];
            /**
             * @description When the task started, as a local date and time: `YYYY-MM-DD HH:MM:SS`. The time zone is not documented by the
             *     service.
             */
            starttime?: string;
            url: components["schemas"]["ResultUrls"];
            /** @description The status code. The meaning of its values is not documented by the service. */
            image_status?: number;
            /** @description The width in pixels. */
            width?: number;
            /** @description The height in pixels. */
            height?: number;
        };
        /** @description The URLs of the results. How long they stay valid is not documented by the service. */
        ResultUrls: string[];
        /** @description What a generation returns. */
        CreatedTask: {
            taskid: components["schemas"]["TaskId"];
        };
        /** @description What a generation returns if it also has a URL. */
        CreatedTaskWithUrl: {
            taskid: components["schemas"]["TaskId"];
            /** @description A URL. Whether the result is there at once is not documented by the service. */
            url: string;
        };
        /** @description What a deletion returns. */
        Deletion: {
            /**
             * @description The result of the deletion, `Success` if it succeeded. Other values are not documented by the service.
             * @example Success
             */
            status: string;
        };
        CreatedTaskEnvelope: {
            code: components["schemas"]["SuccessCode"];
            msg: components["schemas"]["Message"];
            data: components["schemas"]["CreatedTask"];
        };
        CreatedTaskWithUrlEnvelope: {
            code: components["schemas"]["SuccessCode"];
            msg: components["schemas"]["Message"];
            data: components["schemas"]["CreatedTaskWithUrl"];
        };
        VideoTaskEnvelope: {
            code: components["schemas"]["SuccessCode"];
            msg: components["schemas"]["Message"];
            data: components["schemas"]["VideoTask"];
        };
        ImageTaskEnvelope: {
            code: components["schemas"]["SuccessCode"];
            msg: components["schemas"]["Message"];
            data: components["schemas"]["ImageTask"];
        };
        DeletionEnvelope: {
            code: components["schemas"]["SuccessCode"];
            msg: components["schemas"]["Message"];
            data: components["schemas"]["Deletion"];
        };
        /** @description The request failed; there is no data. Which conditions lead to it is not documented by the service. */
        FailureEnvelope: {
            /**
             * @description Failure.
             * @constant
             */
            code: 9999;
            msg: components["schemas"]["Message"];
        };
        /** @description The balance does not cover the request; there is no data. */
        InsufficientCreditsEnvelope: {
            /**
             * @description Insufficient credits.
             * @constant
             */
            code: 9000;
            msg: components["schemas"]["Message"];
        };
        /**
         * @description Success.
         * @constant
         */
        SuccessCode: 1000;
        /** @description A message for people. */
        Message: string;
    };
    responses: {
        /** @description The outcome of the generation. */
        VideoTaskCreated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CreatedTaskEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
            };
        };
        /** @description The outcome of the generation. */
        ImageTaskCreated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CreatedTaskEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
            };
        };
        /** @description The outcome of the generation. */
        ImageTaskCreatedWithUrl: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CreatedTaskWithUrlEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
            };
        };
        /** @description The outcome of the deletion. */
        TasksDeleted: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeletionEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
            };
        };
    };
    parameters: never;
    requestBodies: {
        Vidmodelv2: {
            content: {
                "multipart/form-data": components["schemas"]["Vidmodelv2Form"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    generateVidmodelv2: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Vidmodelv2"];
        responses: {
            200: components["responses"]["VideoTaskCreated"];
        };
    };
    generateVidmodelv2fast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Vidmodelv2"];
        responses: {
            200: components["responses"]["VideoTaskCreated"];
        };
    };
    generateVidmodelv15pro: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Vidmodelv15proForm"];
            };
        };
        responses: {
            200: components["responses"]["VideoTaskCreated"];
        };
    };
    queryVideoTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VideoTaskQuery"];
            };
        };
        responses: {
            /** @description The outcome of the query. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VideoTaskEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
                };
            };
        };
    };
    deleteVideoTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VideoTaskDeletion"];
            };
        };
        responses: {
            200: components["responses"]["TasksDeleted"];
        };
    };
    generateImgmodelv45: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Imgmodelv45Form"];
            };
        };
        responses: {
            200: components["responses"]["ImageTaskCreated"];
        };
    };
    generateImgmodelv5: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Imgmodelv5Form"];
            };
        };
        responses: {
            200: components["responses"]["ImageTaskCreatedWithUrl"];
        };
    };
    generateImgmodelv4: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Imgmodelv4Form"];
            };
        };
        responses: {
            200: components["responses"]["ImageTaskCreated"];
        };
    };
    generateImgmodelz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ImgmodelzForm"];
            };
        };
        responses: {
            200: components["responses"]["ImageTaskCreatedWithUrl"];
        };
    };
    queryImageTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageTaskQuery"];
            };
        };
        responses: {
            /** @description The outcome of the query. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageTaskEnvelope"] | components["schemas"]["FailureEnvelope"] | components["schemas"]["InsufficientCreditsEnvelope"];
                };
            };
        };
    };
    deleteImageTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageTaskDeletion"];
            };
        };
        responses: {
            200: components["responses"]["TasksDeleted"];
        };
    };
}
