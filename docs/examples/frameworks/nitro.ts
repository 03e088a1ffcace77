import { type EventHandler, fromWebHandler } from "h3";
import { mediaProxy } from "./media-proxy.ts";

const handler: EventHandler = fromWebHandler(mediaProxy);
export default handler;
