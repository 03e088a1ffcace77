import { createEmulator, type Emulator } from "@mediagen/emulator";
import { createMediaGen, type OnEvent, type MediaGen } from "@mediagen/sdk";
import { make } from "./playground-form.ts";
import type { Mishap } from "./playground-faults.ts";

/** The target of calls: the emulator in the page, or the user's own service. */
export interface Service {
  /** The controls that select it. */
  readonly element: HTMLElement;
  readonly balance: HTMLElement;
  /** The emulator; undefined if calls go to the user's own service. */
  readonly emulator: Emulator | undefined;
  /** Creates a client for one call. The emulator injects this fault. */
  connect(mishap: Mishap, onEvent: OnEvent): MediaGen;
  showBalance(): void;
}

const speeds = [
  ["1", "real time"],
  ["4", "4 times as fast"],
  ["100", "100 times as fast"],
] as const;
const risk =
  "Your service bills you. The key stays in this page, and the service must allow this page's origin (CORS). A browser may resend a generation on its own if the response is lost, and then it is billed twice. Run your own programs on a server.";

/** Creates the controls and the emulator. `changed` is called when the target changes. */
export function createService(changed: () => void): Service {
  const target = make("select", { id: "target" });
  target.append(
    make("option", { value: "emulator", textContent: "the emulator in this page: free" }),
    make("option", { value: "service", textContent: "my own service" }),
  );
  const speed = make("select", { id: "speed" });
  speed.append(
    ...speeds.map(([value, textContent]) => make("option", { value, textContent, selected: value === "4" })),
  );
  const baseUrl = make("input", { id: "base-url", type: "url", placeholder: "https://media.example.com" });
  const apiKey = make("input", { id: "api-key", type: "password", autocomplete: "off" });
  const own = make("div", { className: "own", hidden: true });
  own.append(
    labelled(baseUrl, "URL"),
    labelled(apiKey, "Key, if needed"),
    make("p", { className: "help", textContent: risk }),
  );
  const speedRow = labelled(speed, "Speed of the emulator");
  const element = make("div");
  element.append(labelled(target, "Send it to"), own, speedRow);
  const balance = make("span", { className: "balance" });

  let emulator = createEmulator({ clock: { speed: 4 }, credits: 10_000 });
  const isInside = () => target.value === "emulator";
  const showBalance = () => {
    balance.textContent = isInside() ? `${emulator.credits.toLocaleString("en-GB")} credits left` : "";
  };
  /** Creates an emulator with the same tasks and credits, but without pending faults. */
  const renew = ({ behaviour }: Mishap) => {
    const before = emulator.snapshot();
    emulator = createEmulator({ clock: { speed: Number(speed.value) }, behaviour });
    emulator.restore(before);
  };
  const show = () => {
    own.hidden = isInside();
    speedRow.hidden = !isInside();
    showBalance();
    changed();
  };
  for (const select of [target, speed]) select.addEventListener("change", show);
  showBalance();
  return {
    element,
    balance,
    showBalance,
    get emulator() {
      return isInside() ? emulator : undefined;
    },
    connect(mishap, onEvent) {
      const common = { ...mishap.client, allowBrowser: true, onEvent };
      // Without a key, the URL is that of the user's own server, which adds it. The service does not document its statuses.
      if (!isInside()) return createMediaGen({ ...common, baseUrl: baseUrl.value, apiKey: apiKey.value || undefined });
      renew(mishap);
      if (mishap.fault) emulator.next(mishap.fault);
      return createMediaGen({ ...emulator.client, ...common });
    },
  };
}

/** Returns a control with its label. */
export function labelled(control: HTMLElement, text: string, ...further: readonly HTMLElement[]): HTMLElement {
  const row = make("div", { className: "field" });
  row.append(make("label", { htmlFor: control.id, textContent: text }), control, ...further);
  return row;
}
