import { accountOf } from "./accounts.ts";
import { bodyOf, readVideo, signedOut, startVideo, toResponse } from "./videos.ts";

interface Context {
  readonly params: Promise<{ readonly id: string }>;
}

export async function POST(request: Request, { params }: Context): Promise<Response> {
  const account = accountOf(request.headers.get("authorization"));
  return toResponse(account ? await startVideo(account, (await params).id, await bodyOf(request)) : signedOut);
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const account = accountOf(request.headers.get("authorization"));
  return toResponse(account ? await readVideo(account, (await params).id) : signedOut);
}
