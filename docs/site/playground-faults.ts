import {
  createEmulator,
  type Behaviour,
  type Fault,
  type FaultName,
  type Verb,
} from "@mediagen/emulator";
import type { MediaGenOptions } from "@mediagen/sdk";
import { make } from "./playground-form.ts";

/** A fault of a call, with short timeouts so that its effect shows soon. */
export interface Mishap {
  readonly fault?: Fault | undefined;
  readonly behaviour?: Partial<Behaviour>;
  readonly client?: Pick<MediaGenOptions, "generateTimeoutMs" | "queryTimeoutMs">;
  readonly waitTimeoutMs?: number;
}

/** Labels of all faults of the emulator. */
const words: Readonly<Record<FaultName, string>> = {
  insufficientCredits: "Insufficient credits",
  failure: "The service rejects it",
  rateLimited: "The rate limit: HTTP 429",
  unavailable: "HTTP 503",
  resetBefore: "The connection breaks before the service acts",
  resetAfter: "The response is lost",
  cutBody: "The response is cut in the middle",
  hang: "No response comes",
  slowBody: "The response comes slowly",
  serverError: "HTTP 500",
  html: "A web page in place of the response",
  brokenJson: "Truncated JSON",
  emptyBody: "An empty response",
  wrongCode: "An unknown code",
  taskFails: "The task fails",
  unknownStatus: "An unknown status",
  linkExpired: "The URL has expired",
  downloadCut: "The connection breaks in the middle",
};

/**
 * Labels of the requests that a fault can affect. A generation also has polls and downloads of
 * results.
 */
const places = {
  generate: "The generation",
  query: "The polls",
  delete: "The deletion",
  download: "The results",
};
type Place = keyof typeof places;

/** Not a fault of the service: the wait ends before the task. */
const waitTimeout = "waitTimeout";
/** A task that is pending for an hour, and a wait of some seconds. */
const shortWait: Mishap = { behaviour: { pendingMs: 3_600_000 }, waitTimeoutMs: 8_000 };
const shortCalls = { generateTimeoutMs: 3_000, queryTimeoutMs: 3_000 };

/** An emulator that is only used to check which calls a fault applies to. */
const trial = createEmulator();

function placeOf(fault: FaultName, verb: Verb): Place | undefined {
  const candidates: readonly Place[] =
    verb === "generate" ? ["generate", "query", "download"] : [verb];
  return candidates.find((on) => {
    try {
      trial.next({ fault, on });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Creates the menu of faults, with the code that injects the chosen one in a test. `changed` is
 * called when the choice changes.
 */
export function createFaultMenu(changed: () => void) {
  const element = make("select", { id: "fault" });
  const help = make("p", { className: "help" });
  let verb: Verb = "generate";
  const chosen = (): Fault | undefined => {
    const fault = (Object.keys(words) as FaultName[]).find((name) => name === element.value);
    return fault && { fault, on: placeOf(fault, verb) };
  };
  const explain = () => {
    const fault = chosen();
    const code = fault && make("code", { textContent: `emulator.next(${JSON.stringify(fault)})` });
    help.replaceChildren(...(code ? ["In a test: ", code] : []));
  };
  element.addEventListener("change", () => {
    explain();
    changed();
  });
  return {
    element,
    help,
    /**
     * Offers the faults for calls with this verb, and chooses one. Without a name, chooses none.
     */
    offer(next: Verb, name = "") {
      verb = next;
      const own = (Object.keys(words) as FaultName[]).map((fault) => ({
        fault,
        place: placeOf(fault, verb),
      }));
      const groups = Object.entries(places).map(([place, label]) => {
        const group = make("optgroup", { label });
        const inside = own.filter((one) => one.place === place);
        group.append(
          ...inside.map(({ fault }) => make("option", { value: fault, textContent: words[fault] })),
        );
        if (verb === "generate" && place === "query")
          group.prepend(
            make("option", { value: waitTimeout, textContent: "The wait ends before the task" }),
          );
        return group;
      });
      const none = make("option", { value: "", textContent: "nothing" });
      element.replaceChildren(none, ...groups.filter((group) => group.childElementCount > 0));
      element.value = name;
      if (element.selectedIndex < 0) element.value = "";
      explain();
    },
    mishap(): Mishap {
      if (element.value === waitTimeout) return shortWait;
      const fault = chosen();
      return fault?.fault === "hang" ? { fault, client: shortCalls } : { fault };
    },
  };
}
