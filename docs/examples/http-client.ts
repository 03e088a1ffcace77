import { createMediaGen } from "@mediagen/sdk/node";
import { createHttpClient } from "@mediagen/sdk/http";

const media = createMediaGen();
const { taskid } = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});

const http = createHttpClient();
const { data, response } = await http.POST("/v1/video/infobytaskid", {
  body: { taskid },
});
if (data?.code === 1000)
  console.log(response.status, data.data.taskid, data.data.url);
else console.log(response.status, data?.code, data?.msg);
