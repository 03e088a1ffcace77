import { mediaProxy } from "./media-proxy.ts";

export const POST = ({
  request,
}: {
  readonly request: Request;
}): Promise<Response> => mediaProxy(request);
