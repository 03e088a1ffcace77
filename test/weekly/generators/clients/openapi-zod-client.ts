import { createApiClient } from "../out/openapi-zod-client.ts";
import type { Access, Client } from "./client.ts";

export function create({ baseUrl, apiKey }: Access): Client {
  const api = createApiClient(baseUrl, {
    axiosConfig: { headers: { Authorization: apiKey } },
    validate: true,
  });
  // Its own plugin for forms writes a list as one text.
  api.use("generateVidmodelv2", {
    name: "form-data",
    async request(_, config) {
      const data = new FormData();
      for (const [name, value] of Object.entries(config.data ?? {}))
        for (const one of [value].flat())
          data.append(name, one instanceof Blob ? one : String(one));
      return { ...config, data };
    },
  });
  return {
    generateImage: (form) => api.generateImgmodelv45(form),
    generateVideo: (form) => api.generateVidmodelv2(form),
    queryVideo: (taskid) => api.queryVideoTask({ taskid }),
    deleteVideo: (taskid) => api.deleteVideoTasks({ taskids: [taskid] }),
  };
}
