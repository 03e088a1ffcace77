import { createEmulator, type Emulator } from "@mediagen/emulator";
import { createMediaGen, type OnEvent, type MediaGen } from "@mediagen/sdk";
import { make } from "./playground-form.ts";
import type { Mishap } from "./playground-faults.ts";

const speeds = { "1": "real time", "4": "4 times as fast", "100": "100 times as fast" };

/** Creates the emulator in the page, with a control for its speed. */
export function createService() {
  const speed = make("select", { id: "speed" });
  speed.append(
    ...Object.entries(speeds).map(([value, textContent]) => make("option", { value, textContent })),
  );
  speed.value = "4";
  const balance = make("span", { className: "balance" });
  let emulator = createEmulator({ credits: 10_000 });
  const showBalance = () =>
    void (balance.textContent = `${emulator.credits.toLocaleString("en-GB")} credits left`);
  showBalance();
  return {
    element: labelled(speed, "Speed of the emulator"),
    balance,
    showBalance,
    get emulator(): Emulator {
      return emulator;
    },
    /** Creates a client for one call. The emulator injects this fault. */
    connect({ behaviour, fault, client }: Mishap, onEvent: OnEvent): MediaGen {
      // With the same tasks and credits, but without pending faults.
      const before = emulator.snapshot();
      emulator = createEmulator({ clock: { speed: Number(speed.value) }, behaviour });
      emulator.restore(before);
      if (fault) emulator.next(fault);
      return createMediaGen({ ...emulator.client, ...client, allowBrowser: true, onEvent });
    },
  };
}

/** Returns a control with its label. */
export function labelled(
  control: HTMLElement,
  text: string,
  ...further: readonly HTMLElement[]
): HTMLElement {
  const row = make("div", { className: "field" });
  row.append(make("label", { htmlFor: control.id, textContent: text }), control, ...further);
  return row;
}
