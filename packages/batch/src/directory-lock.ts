import { setTimeout } from "node:timers/promises";
import type { InvalidRequestError } from "@mediagen/sdk/node";
import { issueOf } from "@mediagen/sdk/kit";
import { nothingSent, stoppedBy } from "./issues.ts";
import { isGone, type LockFiles, type LockHolder, type LockState } from "./lock-files.ts";

/** Interval at which a holder renews its lock, and at which others read it. */
const renewMs = 1_000;
/** After this long without a renewal, a holder no longer relies on its lock. Others may take it only later. */
const reliesMs = 10_000;
/** After this long without a renewal, others take the lock. */
const silentMs = 15_000;

/** Clocks as a lock needs them; a test injects its own. */
export interface LockTime {
  /** Milliseconds by a monotonic clock. */
  steady(): number;
  /** Milliseconds by the machine's clock, which also counts while the machine sleeps. */
  wall(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A time by both clocks. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** The last lock file of a directory. */
interface Top extends LockState {
  readonly number: number;
}

const machineTime: LockTime = {
  steady: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/**
 * Locks a directory for one run. The lock is the file with the highest number. To take it means to create the next number, which
 * the file system lets one process do. The highest number is never removed, so a process that creates a lower one too late sees that.
 */
export class DirectoryLock {
  readonly #files: LockFiles;
  readonly #own: LockHolder;
  readonly #time: LockTime;
  readonly #ending = new AbortController();
  readonly #lost = new AbortController();
  #number = 0;
  #renewed: Moment = { steady: -Infinity, wall: -Infinity };
  #renewing: Promise<void> | undefined;
  #kept: Promise<void> | undefined;

  constructor(files: LockFiles, own: LockHolder, time: LockTime = machineTime) {
    this.#files = files;
    this.#own = own;
    this.#time = time;
  }

  /** Aborts when another run has taken the directory. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Takes the lock. If another run has it, waits until that run renews it or has been silent for 15 seconds.
   *
   * @throws An {@link InvalidRequestError} if another run is using the directory
   */
  async take(signal: AbortSignal = this.#ending.signal): Promise<void> {
    let seen: (Top & { readonly at: number }) | undefined;
    while (this.#number === 0) {
      const before = this.#time.steady();
      const top = await this.#top();
      const isSilent = seen?.number === top?.number && seen?.stamp === top?.stamp;
      if (!top || this.#isFree(top) || (isSilent && before - (seen?.at ?? before) >= silentMs)) {
        await this.#create((top?.number ?? 0) + 1);
        continue;
      }
      if (seen && !isSilent) throw inUse(nothingSent, top.holder);
      seen ??= { ...top, at: this.#time.steady() };
      await this.#time.sleep(renewMs, signal).catch(() => signal.throwIfAborted());
    }
    this.#kept = this.#keep();
  }

  /**
   * Resolves if the lock is held. Called before something is sent, because a machine may have slept since the last renewal.
   *
   * @throws An {@link InvalidRequestError} if another run has taken the directory
   */
  async confirm(): Promise<void> {
    if (!this.#isReliable()) await this.#renew();
    this.#lost.signal.throwIfAborted();
  }

  async release(): Promise<void> {
    this.#ending.abort();
    await this.#kept;
    // If this fails, the lock is free after 15 seconds, or as soon as the process has ended.
    await this.#files.write(this.#number, { ...this.#own, released: true }).catch(() => undefined);
  }

  async #keep(): Promise<void> {
    while (!this.#lost.signal.aborted) {
      await this.#time.sleep(renewMs, this.#ending.signal).catch(() => undefined);
      if (this.#ending.signal.aborted) return;
      await this.#renew();
    }
  }

  /** Renews the lock, once at a time. */
  #renew(): Promise<void> {
    return (this.#renewing ??= this.#renewOnce()
      .catch((error: unknown) => {
        // The next renewal may succeed before others take the lock.
        if (!this.#isReliable()) this.#lost.abort(error);
      })
      .finally(() => (this.#renewing = undefined)));
  }

  async #renewOnce(): Promise<void> {
    const number = this.#number;
    const begin = this.#moment();
    const failure = this.#isReliable()
      ? await this.#files.renew(number).catch((error: unknown) => ({ error }))
      : undefined;
    const top = await this.#top();
    if (top?.number !== number) return this.#lost.abort(inUse(stoppedBy, top?.holder));
    if (failure) throw failure.error;
    // Others saw no later renewal than this one, unless it was written too late.
    if (this.#isReliable()) this.#renewed = begin;
    // Another run may be about to take the lock. Both create the next number, and one of them succeeds.
    else if (!(await this.#create(number + 1))) this.#lost.abort(inUse(stoppedBy, (await this.#top())?.holder));
  }

  /** Creates a lock file. Returns whether it is the lock. */
  async #create(number: number): Promise<boolean> {
    const begin = this.#moment();
    if (!(await this.#files.create(number, this.#own))) return false;
    const numbers = await this.#files.numbers();
    // Others may have taken and removed this number since it was seen to be free; they have left a higher one.
    if (Math.max(...numbers) !== number) {
      await this.#files.remove(number);
      return false;
    }
    this.#number = number;
    this.#renewed = begin;
    for (const old of numbers) if (old < number) await this.#files.remove(old);
    return true;
  }

  async #top(): Promise<Top | undefined> {
    for (;;) {
      const number = Math.max(0, ...(await this.#files.numbers()));
      const state = number === 0 ? undefined : await this.#files.read(number);
      if (state) return { number, ...state };
      if (number === 0) return undefined;
    }
  }

  #isFree({ holder }: LockState): boolean {
    return holder !== undefined && (holder.released === true || isGone(holder, this.#own));
  }

  /** Whether no other run can have taken the lock since the last renewal. `wall` also counts while the machine sleeps. */
  #isReliable(): boolean {
    const { steady, wall } = this.#moment();
    return steady - this.#renewed.steady < reliesMs && wall - this.#renewed.wall < reliesMs;
  }

  #moment(): Moment {
    return { steady: this.#time.steady(), wall: this.#time.wall() };
  }
}

function inUse(error: typeof stoppedBy, holder: LockHolder | undefined): InvalidRequestError {
  const by = holder ? ` (process ${holder.pid} on ${holder.host})` : "";
  const advice = "Use another directory, or wait until that run has ended.";
  return error(issueOf("directory", "invalid", `is in use by another run${by}`, advice));
}
