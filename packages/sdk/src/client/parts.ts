import type { RecordingHost } from "../store/session.ts";
import { sleep, sleepBy, type SleepReason, type Time } from "../time/clock.ts";
import { shareTimer } from "../time/shared-timer.ts";
import type { LazyLimits, Limits } from "./limits.ts";
import type { MediaGenOptions } from "./options.ts";
import type { RecordedGenerations } from "./recorded.ts";
import type { Runtime } from "./runtime.ts";
import { hasLimits } from "./settings.ts";

/** What loads the part that works with a store. */
export type LazyRecording = () => Promise<RecordedGenerations>;

/** Creates what records generations. It is loaded at first use, so that a client without a store is spared it. */
export function createRecording({ processes }: Runtime, host: Omit<RecordingHost, "processes">): LazyRecording {
  return once(async () => {
    const { RecordedGenerations } = await import("./recorded.ts");
    return new RecordedGenerations({ ...host, processes: await processes() });
  });
}

/** Creates the limits of the options, which are loaded at the first generation. */
export function createLimits(options: MediaGenOptions, time: Time): LazyLimits | undefined {
  if (!hasLimits(options)) return undefined;
  let loaded: Limits | undefined;
  const load = once(async () => {
    const { ClientLimits } = await import("./client-limits.ts");
    return (loaded = new ClientLimits(options, time));
  });
  return { load, loaded: () => loaded };
}

/** Loads at the first call, and again after a failure. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

/** Creates the clock and the timers. */
export function createTime(options: MediaGenOptions): Time {
  const { now = Date.now, random = Math.random } = options;
  const steady = options.now ?? (() => performance.now());
  const shared = (reason: SleepReason) =>
    shareTimer({ steady, sleep: (ms, signal) => (options.sleep ?? sleep)(ms, signal, reason) });
  const timers = {
    pause: shared("pause"),
    deadline: shared("deadline"),
    limit: shared("limit"),
    background: shared("background"),
  };
  const alarm: Time["alarm"] = (ms, ring, reason = "pause") => timers[reason](ms, ring);
  return { now, steady, random, alarm, sleep: sleepBy(alarm) };
}
