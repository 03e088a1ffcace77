import { readFileSync } from "node:fs";
import { createMediaGen } from "@mediagen/sdk/node";

const media = createMediaGen({
  tls: {
    ca: readFileSync("company-ca.pem"),
    cert: readFileSync("client.pem"),
    key: readFileSync("client-key.pem"),
  },
});
const { taskid } = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" });
console.log(taskid);
