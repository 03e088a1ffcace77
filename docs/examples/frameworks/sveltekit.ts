import { accountOf } from "./accounts.ts";
import { bodyOf, readVideo, signedOut, startVideo, toResponse } from "./videos.ts";

interface RequestEvent {
  readonly request: Request;
  readonly params: { readonly id: string };
}

export async function POST({ request, params }: RequestEvent): Promise<Response> {
  const account = accountOf(request.headers.get("authorization"));
  return toResponse(account ? await startVideo(account, params.id, await bodyOf(request)) : signedOut);
}

export async function GET({ request, params }: RequestEvent): Promise<Response> {
  const account = accountOf(request.headers.get("authorization"));
  return toResponse(account ? await readVideo(account, params.id) : signedOut);
}
