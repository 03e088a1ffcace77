import { expect, test } from "vitest";
import {
  mayFollow,
  mayForget,
  mayResolve,
  mayRetryOn,
  stepAt,
} from "../../packages/sdk/src/money/entry.ts";
import type { GenerationEntry, GenerationState } from "../../packages/sdk/src/task/generation.ts";

const states: readonly GenerationState[] = [
  "claimed",
  "sending",
  "created",
  "unknown",
  "notCreated",
  "ended",
];
const task = {
  version: 2,
  kind: "image",
  taskid: "t-1",
  origin: "http://localhost",
  resultCount: 1,
} as const;
const facts = {
  version: 1,
  id: "g",
  revision: 3,
  kind: "image",
  model: "m",
  origin: "o",
  resultCount: 1,
  createdAt: 0,
  updatedAt: 0,
} as const;

/** Every entry that the rules tell apart. */
const entries = states.flatMap((state) => [...entriesIn(state)]);

function* entriesIn(state: GenerationState): Generator<GenerationEntry> {
  for (const attempt of ["a", "b"])
    for (const known of [{ task }, {}])
      for (const idempotencyKey of ["key", undefined])
        for (const resolvedByHand of [true, undefined])
          yield { ...facts, state, attempt, idempotencyKey, resolvedByHand, ...known };
}
const mayHaveBeenSent = entries.filter(
  ({ state }) => state !== "claimed" && state !== "notCreated",
);

test.for(mayHaveBeenSent)(
  "a key does not generate again over $state of $attempt, task $task.taskid",
  (entry) => {
    for (const isSilent of [true, false]) expect(stepAt(entry, isSilent)).not.toBe("generate");
  },
);

test("only what has ended or was never created is forgotten, and what has a key only on demand", () => {
  for (const entry of entries) {
    const hasEnded = entry.state === "ended" || entry.state === "notCreated";
    expect(mayForget(entry)).toBe(hasEnded && entry.idempotencyKey === undefined);
    expect(mayForget(entry, { keyed: true })).toBe(hasEnded);
  }
});

test("nobody says what became of a task that the service has returned", () => {
  for (const entry of entries) {
    const isUnknown = entry.state === "unknown";
    const ofPerson = entry.resolvedByHand === true;
    expect(mayResolve(entry, "t-2")).toBe(isUnknown || ofPerson);
    // A key whose task has ended never generates again.
    expect(mayResolve(entry, undefined)).toBe(isUnknown || (ofPerson && entry.state !== "ended"));
  }
});

test("only the attempt itself writes again over an entry, and its task replaces no other", () => {
  for (const entry of entries)
    for (const state of states)
      for (const attempt of ["a", "b"]) {
        const change = { state, ...(state === "created" && { task }) };
        const may = mayRetryOn(entry, { ...entry, revision: 2 }, attempt, change);
        const isUnderWay = entry.state === "claimed" || entry.state === "sending";
        const isTask = change.task !== undefined && !entry.task;
        const isRejection = state === "notCreated" && entry.state === "unknown";
        const isOwn = attempt === entry.attempt;
        expect(may).toBe(isOwn && (isUnderWay || isTask || isRejection));
      }
});

test("an entry follows the one that it names, in the next revision", () => {
  for (const entry of entries) {
    const next = { ...entry, revision: 4 };
    expect(mayFollow({ ...next, follows: entry.attempt }, entry)).toBe(true);
    expect(mayFollow({ ...next, follows: "other" }, entry)).toBe(false);
    expect(mayFollow({ ...next, revision: 5, follows: entry.attempt }, entry)).toBe(false);
    expect(mayFollow(next, undefined)).toBe(false);
    expect(mayFollow({ ...next, revision: 1 }, undefined)).toBe(true);
  }
});
