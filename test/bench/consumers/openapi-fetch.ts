import createClient from "openapi-fetch";
import type { paths } from "../../../packages/sdk/src/spec/paths.gen.ts";

const client = createClient<paths>({
  baseUrl: "https://media.example.com",
  headers: { Authorization: "key" },
});

/** The same on the client that ours uses, with the waiting written by hand. */
export async function makeVideo(
  prompt: string,
  seconds: 5 | 10 | 15,
  signal: AbortSignal | null = null,
): Promise<readonly string[]> {
  const created = await client.POST("/v1/video/vidmodelv2", {
    body: { prompt, duration: seconds, resolution: "720p", generate_audio: "1" },
    bodySerializer(fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      return form;
    },
    signal,
  });
  if (created.data?.code !== 1000) throw new Error(created.data?.msg);
  const { taskid } = created.data.data;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { data } = await client.POST("/v1/video/infobytaskid", { body: { taskid }, signal });
    if (data?.code !== 1000) throw new Error(data?.msg);
    console.log(data.data.task_status);
    if (data.data.url.length > 0) return data.data.url;
  }
}
