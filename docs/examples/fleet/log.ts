/** Writes one line of JSON. Pass no prompts, no keys, and no texts of errors, which may repeat a prompt. */
export function log(
  level: "error" | "warn" | "info",
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
}

/** Describes an error without its text: its class, and a code such as ECONNREFUSED or ENOSPC. */
export function describeError(error: unknown): { readonly error: string; readonly code?: unknown } {
  if (!(error instanceof Error)) return { error: typeof error };
  // The cast: an error of the network or of a file has a code, and may be the cause of another.
  const { code = (Object(error.cause) as { readonly code?: unknown }).code } = error as { readonly code?: unknown };
  return { error: error.name, code };
}
