import type { Activity } from "./activity.ts";
import type { Behaviour } from "./settings.ts";
import type { EmulatorClock } from "./clock.ts";
import type { FaultTarget } from "./faults.ts";
import { createRandom } from "./random.ts";

/** Latencies and rate limits. */
export interface Throttle {
  /** Counts a call, or returns the seconds for Retry-After. A counted call must `leave`. */
  enter(): number | undefined;
  leave(): void;
  /** Waits for the latency of a response. A virtual clock continues during it. */
  delay(verb: FaultTarget["verb"], request: { readonly signal: AbortSignal }): Promise<void>;
}

/** Creates the latencies and rate limits of a behaviour. The jitter has its own random numbers. */
export function createThrottle(
  behaviour: Behaviour,
  clock: EmulatorClock,
  activity: Activity,
  seed: number,
): Throttle {
  const random = createRandom(seed ^ 0x9ace);
  const minute = 60_000;
  /** The times of the calls in the last minute. */
  let times: number[] = [];
  let open = 0;
  return {
    enter() {
      const { callsAtOnce, callsPerMinute } = behaviour;
      if (callsAtOnce > 0 && open >= callsAtOnce) return 1;
      if (callsPerMinute > 0) {
        const now = clock.now();
        times = times.filter((time) => time > now - minute);
        const oldest = times[times.length - callsPerMinute];
        if (oldest !== undefined)
          return Math.max(1, Math.ceil(clock.realMsOf(oldest + minute - now) / 1_000));
        times.push(now);
      }
      open++;
      return undefined;
    },
    leave: () => void open--,
    async delay(verb, request) {
      const { generateLatencyMs, queryLatencyMs, downloadLatencyMs, latencyJitter } = behaviour;
      const latencies = {
        generate: generateLatencyMs,
        query: queryLatencyMs,
        delete: queryLatencyMs,
      };
      const usual = verb === "download" ? downloadLatencyMs : latencies[verb];
      if (usual === 0) return;
      // The sum of three uniform values is nearly normal. This one has a standard deviation of 1.
      const deviation = 2 * (random() + random() + random() - 1.5);
      await activity.aside(() =>
        clock.sleep(usual * Math.exp(latencyJitter * deviation), request.signal),
      );
    },
  };
}
