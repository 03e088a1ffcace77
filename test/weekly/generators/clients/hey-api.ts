import { createClient } from "../out/hey-api/client/index.js";
import {
  deleteVideoTasks,
  generateImgmodelv45,
  generateVidmodelv2,
  queryVideoTask,
} from "../out/hey-api/index.js";
import type { Access, Client } from "./client.ts";

export function create({ baseUrl, apiKey }: Access): Client {
  const client = createClient({ baseUrl, auth: apiKey });
  const options = { client, throwOnError: true } as const;
  return {
    generateImage: async (body) => (await generateImgmodelv45({ ...options, body })).data,
    generateVideo: async (body) => (await generateVidmodelv2({ ...options, body })).data,
    queryVideo: async (taskid) => (await queryVideoTask({ ...options, body: { taskid } })).data,
    deleteVideo: async (taskid) =>
      (await deleteVideoTasks({ ...options, body: { taskids: [taskid] } })).data,
  };
}
