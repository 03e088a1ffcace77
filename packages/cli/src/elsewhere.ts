import type { GenerationRecord, GenerationStore, Recovery } from "@mediagen/sdk/node";
import type { ConnectOptions } from "./connect.ts";
import type { Progress } from "./progress.ts";
import { flagsToRepeat } from "./printed-commands.ts";

/** What the store has left at the origin of another service, which `media.recover` does not return. */
export interface Elsewhere {
  readonly origin: string;
  /** Number of generations that are left. */
  readonly generations: number;
  /** Number of those whose outcome is unknown. */
  readonly unknown: number;
}

/** Returns what is left at each other origin. */
export async function leftElsewhere(
  store: GenerationStore,
  origin: string,
  { unreadable }: Recovery,
): Promise<readonly Elsewhere[]> {
  const unreadableIds = new Set(unreadable.map(({ id }) => id));
  const left = new Map<string, Elsewhere>();
  for await (const record of store.list({ states: ["sending", "created", "unknown", "ended"] })) {
    if ("unreadable" in record || unreadableIds.has(record.id) || record.origin === origin || !isLeft(record)) continue;
    const { generations, unknown } = left.get(record.origin) ?? { generations: 0, unknown: 0 };
    const isUnknown = record.state === "sending" || record.state === "unknown";
    left.set(record.origin, {
      origin: record.origin,
      generations: generations + 1,
      unknown: unknown + (isUnknown ? 1 : 0),
    });
  }
  return [...left.values()];
}

/** Whether there is something to do: `recover` returns the same of its own origin. */
function isLeft({ state, outcome, idempotencyKey }: GenerationRecord): boolean {
  return state !== "ended" || (outcome === "succeeded" && idempotencyKey === undefined);
}

/** Reports what is left elsewhere. */
export function warnElsewhere(
  elsewhere: readonly Elsewhere[],
  options: ConnectOptions & { readonly forget?: true },
  progress: Progress,
): void {
  for (const { origin, generations } of elsewhere) {
    const what = generations === 1 ? "1 generation" : `${generations} generations`;
    progress.warn(
      `mediagen: the store has ${what} left at ${origin}, another base URL. Recover there with:`,
      ["mediagen recover", ...flagsToRepeat({ ...options, baseUrl: origin })].join(" "),
    );
  }
  if (elsewhere.length > 0 && options.forget)
    progress.warn("mediagen: nothing was forgotten, because that would include what is left there");
}
