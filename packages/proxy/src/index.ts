export { createMediaProxy } from "./proxy.ts";
export type { MediaProxyOptions, ProxyForm, ProxyGeneration } from "./options.ts";
