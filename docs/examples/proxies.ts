// #region agent
import https from "node:https";
import { createMediaGen } from "@mediagen/sdk/node";

// http://user:password@proxy.example:3128
const proxy = process.env["COMPANY_PROXY"];
const agent = new https.Agent({ proxyEnv: { HTTPS_PROXY: proxy } });
const media = createMediaGen({ agent });
const { taskid } = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
console.log(`through the agent: ${taskid}`);
// #endregion agent

// #region undici
import { createMediaGen as createPlainMediaGen } from "@mediagen/sdk";
import { fetch, ProxyAgent, type RequestInit } from "undici";

const dispatcher = new ProxyAgent({ uri: proxy ?? "", proxyTunnel: true });
const plain = createPlainMediaGen({
  fetch: (url, init) => fetch(url, { ...init, dispatcher } as RequestInit),
  fetchSendsOnce: true,
});
const task = await plain.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
console.log(`through undici: ${task.taskid}`);
await dispatcher.close();
// #endregion undici
