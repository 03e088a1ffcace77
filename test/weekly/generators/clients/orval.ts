import {
  deleteVideoTasks,
  generateImgmodelv45,
  generateVidmodelv2,
  queryVideoTask,
} from "../out/orval/fetch.ts";
import type { Access, Client } from "./client.ts";
import { base } from "./orval-base.ts";

export function create({ baseUrl, apiKey }: Access): Client {
  base.url = baseUrl;
  const options = { headers: { Authorization: apiKey } };
  return {
    generateImage: async (form) => (await generateImgmodelv45(form, options)).data,
    generateVideo: async (form) => (await generateVidmodelv2(form, options)).data,
    queryVideo: async (taskid) => (await queryVideoTask({ taskid }, options)).data,
    deleteVideo: async (taskid) => (await deleteVideoTasks({ taskids: [taskid] }, options)).data,
  };
}
