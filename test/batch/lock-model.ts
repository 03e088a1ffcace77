import type { LockTime } from "../../packages/batch/src/directory-lock.ts";
import type { LockFiles, LockHolder } from "../../packages/batch/src/lock-files.ts";

/** A process that lives, on a machine of its own unless it is given another one. */
export function holderOf(name: string, machine = name): LockHolder {
  return { id: name, pid: process.pid, host: machine, machine };
}

/** Lock files in memory. `before` is awaited before each operation takes effect. */
export function createLockFiles() {
  const files = new Map<number, { holder: LockHolder; stamp: number }>();
  let stamps = 0;
  const write = (number: number, holder: LockHolder) => void files.set(number, { holder, stamp: ++stamps });
  const of = (before: (operation: keyof LockFiles) => Promise<void>): LockFiles => ({
    async numbers() {
      await before("numbers");
      return [...files.keys()];
    },
    async create(number, holder) {
      await before("create");
      if (files.has(number)) return false;
      write(number, holder);
      return true;
    },
    async read(number) {
      await before("read");
      const file = files.get(number);
      return file && { holder: file.holder, stamp: String(file.stamp) };
    },
    async renew(number) {
      await before("renew");
      const file = files.get(number);
      if (!file) throw new Error("no such file");
      write(number, file.holder);
    },
    async write(number, holder) {
      await before("write");
      if (files.has(number)) write(number, holder);
    },
    async remove(number) {
      await before("remove");
      files.delete(number);
    },
  });
  return { write, of };
}

/** A clock that stands still until it is moved. */
export function createTime(sleep: LockTime["sleep"]) {
  const time = { steadyMs: 0, wallMs: 0 };
  const lockTime: LockTime = { steady: () => time.steadyMs, wall: () => time.wallMs, sleep };
  return Object.assign(time, { lockTime });
}

/** Sleeps until the signal aborts. */
export function sleepUntilAborted(_: number, signal: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Runs a scenario once for every order in which the steps of its processes can happen. A process waits in `step` until it is
 * chosen; the scenario ends when none is waiting. Returns the number of orders.
 */
export async function inEveryOrder(scenario: (step: () => Promise<void>) => Promise<() => void>): Promise<number> {
  let choices: { taken: number; readonly of: number }[] = [];
  for (let orders = 1; ; orders++) {
    const waiting: (() => void)[] = [];
    const before = choices;
    const now: typeof choices = [];
    const check = await scenario(() => new Promise((resolve) => waiting.push(resolve)));
    for (await settled(); waiting.length > 0; await settled()) {
      const choice = before[now.length] ?? { taken: 0, of: waiting.length };
      now.push(choice);
      waiting.splice(choice.taken, 1)[0]?.();
    }
    check();
    const last = now.findLastIndex(({ taken, of }) => taken + 1 < of);
    const choice = now[last];
    if (!choice) return orders;
    choices = [...now.slice(0, last), { ...choice, taken: choice.taken + 1 }];
  }
}

/** Resolves when every process waits, because none of them waits for anything but its step. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
