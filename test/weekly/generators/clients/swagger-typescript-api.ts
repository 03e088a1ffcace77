import { Api, type Vidmodelv2Form } from "../out/swagger-typescript-api/client.ts";
import type { Access, Client } from "./client.ts";

export function create({ baseUrl, apiKey }: Access): Client {
  const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: apiKey } } });
  return {
    generateImage: async (form) => (await v1.generateImgmodelv45(form)).data,
    async generateVideo({ "sourceImage.items": files, ...fields }) {
      // It writes a list as JSON, but passes on a form that is one already.
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const file of files) form.append("sourceImage.items", file);
      return (await v1.generateVidmodelv2(form as Vidmodelv2Form)).data;
    },
    queryVideo: async (taskid) => (await v1.queryVideoTask({ taskid })).data,
    deleteVideo: async (taskid) => (await v1.deleteVideoTasks({ taskids: [taskid] })).data,
  };
}
