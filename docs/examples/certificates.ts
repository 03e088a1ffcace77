import { readFileSync } from "node:fs";
import https from "node:https";
import { rootCertificates } from "node:tls";
import { createMediaGen } from "@mediagen/sdk/node";

const agent = new https.Agent({
  ca: [...rootCertificates, readFileSync("company-ca.pem", "utf8")],
  cert: readFileSync("client.pem"),
  key: readFileSync("client-key.pem"),
});
const media = createMediaGen({ agent });
const { taskid } = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
console.log(taskid);
