import { mediaProxy } from "./media-proxy.ts";

export const POST = mediaProxy;
