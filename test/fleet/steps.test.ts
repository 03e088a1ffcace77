import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, memoryStore, type TaskJSON } from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import type { Order } from "../../docs/examples/fleet/order.ts";
import { createSteps } from "../../docs/examples/fleet/steps.ts";
import { createOrders } from "./fleet.ts";

const [order] = createOrders(1) as [Order];

function open() {
  const emulator = createEmulator({ clock: { speed: 1 } });
  const store = memoryStore();
  const media = createMediaGen({ ...emulator.client, store, retries: 0 });
  const outcomes: string[] = [];
  const steps = createSteps({ media, directory: "out", onStep: ({ outcome }) => void outcomes.push(outcome) });
  return { emulator, store, media, steps, outcomes };
}

test("an id that is used again with another form is rejected, and not repeated for ever", async () => {
  const { emulator, steps, outcomes } = open();
  await steps.generate(order);
  const other = { ...order, form: { ...order.form, prompt: "another" } } as Order;
  expect(await steps.generate(other)).toEqual({ outcome: "rejected", reason: expect.stringContaining("form") });
  expect(outcomes).toEqual(["begun", "created", "begun", "rejected"]);
  expect(emulator.charges).toHaveLength(1);
});

test("a task that the service no longer gives becomes overdue, and one of an outage does not", async () => {
  const { emulator, steps } = open();
  const step = await steps.generate(order);
  if (step.outcome !== "created") throw new Error(step.outcome);
  const aged = (minutes: number): TaskJSON => ({ ...step.task, createdAt: Date.now() - minutes * 60_000 });
  emulator.next({ fault: "failure", on: "query" });
  await expect(steps.check(order.id, aged(29))).rejects.toThrow("query");
  emulator.next({ fault: "unavailable", on: "query" });
  await expect(steps.check(order.id, aged(31))).rejects.toThrow("503");
  emulator.next({ fault: "failure", on: "query" });
  expect(await steps.check(order.id, aged(31))).toEqual({ state: "overdue" });
});
