import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { holdFolder } from "../../packages/sdk/src/batch/folder-lease.ts";
import type { JournalEntry } from "@mediagen/sdk";
import { createJournal } from "../../packages/sdk/src/journal/journal.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] }),
);
afterEach(() => void vi.useRealTimers());

/** A folder whose disk takes so many seconds for each append in turn, and then none. */
function createFolder(seconds: readonly number[]) {
  const delays = [...seconds];
  const entries: JournalEntry[] = [];
  const lost: string[] = [];
  /** As a process has the journal: its appends are written one after the other. */
  const createProcess = () => {
    let last = Promise.resolve();
    const write = async (entry: JournalEntry) => {
      const delay = delays.shift() ?? 0;
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay * 1_000));
      entries.push(entry);
    };
    const append = (entry: JournalEntry) => (last = last.then(() => write(entry)));
    return {
      ...createJournal({ append, entries: () => last.then(() => [...entries]) }),
      compact: async () => undefined,
    };
  };
  const hold = (name: string) => holdFolder(createProcess(), (error) => void lost.push(`${name}: ${String(error)}`));
  return { hold, lost };
}

test.for<[readonly number[]]>([[[0, 8]], [[0, 14]], [[0, 4, 7]], [[0, 21]], [[0, 60]]])(
  "a folder stays with its run where the disk takes %j s for its leases",
  async ([seconds]) => {
    const { hold, lost } = createFolder(seconds);
    const letGo = await hold("first");
    await vi.advanceTimersByTimeAsync(100_000);
    await expect(hold("second")).rejects.toThrow(/nothing was sent[^]*another run is using/);
    await letGo();
    await (
      await hold("third")
    )();
    expect(lost).toEqual([]);
  },
);

test("a run that another took the folder from while its lease was written is told, once, that it was stopped", async () => {
  const { hold, lost } = createFolder([0, 4, 7]);
  const letGo = await hold("first");
  await vi.advanceTimersByTimeAsync(20_200);
  const letGoToo = await hold("second");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lost).toEqual([expect.stringMatching(/^first: .*it was stopped[^]*another run is using/)]);
  await letGo();
  await letGoToo();
});

test("a folder that is let go of while it is taken again is free", async () => {
  const { hold } = createFolder([0, 4, 7, 3]);
  const letGo = await hold("first");
  await vi.advanceTimersByTimeAsync(27_000);
  const over = letGo();
  await vi.advanceTimersByTimeAsync(5_000);
  await over;
  await (
    await hold("second")
  )();
});
