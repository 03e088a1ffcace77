// #region option
import { createMediaGen } from "@mediagen/sdk/node";

const media = createMediaGen({ proxy: process.env["COMPANY_PROXY"] }); // http://user:password@proxy.example:3128
const { taskid } = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" });
console.log(`through the option: ${taskid}`);
// #endregion option

// #region undici
import { createMediaGen as createPlainMediaGen } from "@mediagen/sdk";
import { fetch, ProxyAgent, type RequestInit } from "undici";

const dispatcher = new ProxyAgent({ uri: process.env["COMPANY_PROXY"] ?? "", proxyTunnel: true });
const plain = createPlainMediaGen({
  fetch: (url, init) => fetch(url, { ...init, dispatcher } as RequestInit),
  fetchSendsOnce: true,
});
const task = await plain.video.generate("vidmodelv2", { prompt: "A fox runs through snow" });
console.log(`through undici: ${task.taskid}`);
await dispatcher.close();
// #endregion undici
