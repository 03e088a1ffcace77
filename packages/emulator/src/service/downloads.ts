import type { Context } from "./context.ts";
import { type Answer, type Incoming, plain } from "./exchange.ts";
import { type Fault, faultEffects, spoil } from "./faults.ts";
import { extensionOf, fingerprint, renderResult, type ResultFile, serveFile } from "./results.ts";
import { type EmulatorTask, resultsAt } from "./task.ts";

const prefix = "/_emulator/results/";
/** How many results are kept made: a player asks for many ranges of one file. */
const resultsKept = 16;

/** The address of a result, valid from now on for as long as the behaviour says. */
export function resultAddress(
  { clock, behaviour }: Context,
  origin: string,
  task: EmulatorTask,
  number: number,
): string {
  const until = Math.floor(clock.now() + behaviour.linksLiveMs);
  return `${origin}${prefix}${nameOf(task, number)}?until=${until}`;
}

/** Where the emulator's page finds a result, from `/_emulator/` on. It is the same for as long as the result is. */
export function previewAddress(task: EmulatorTask, number: number): string {
  return `preview/${nameOf(task, number)}?of=${fingerprint(task)}`;
}

function nameOf({ taskid, plan }: EmulatorTask, number: number): string {
  return `${taskid}/${number}.${extensionOf(plan)}`;
}

/** Serves the results. */
export interface Downloads {
  serves(pathname: string): boolean;
  serve(incoming: Incoming): Promise<Answer>;
  /** Serves a result to the emulator's page. A look is no call: it stands in no log, meets no fault and never expires. */
  preview(incoming: Incoming): Answer;
}

/** Creates the server of results; a result is made when it is first asked for. */
export function createDownloads(context: Context): Downloads {
  const { behaviour, calls, clock, faults, state } = context;
  const made = new Map<string, ResultFile>();
  return {
    serves: (pathname) => pathname.startsWith(prefix),
    async serve(incoming) {
      const call = calls.open(clock.now(), incoming);
      call.operation = "download";
      const fault = faults.take({ verb: "download", operation: "download" });
      call.fault = fault?.fault;
      const answer = await spoiled(incoming, fault);
      call.status = answer.status;
      return answer;
    },
    preview: (incoming) => find(incoming, () => false),
  };

  async function spoiled(incoming: Incoming, fault: Fault | undefined): Promise<Answer> {
    if (fault && fault.fault !== "linkExpired" && faultEffects[fault.fault] === "before")
      return spoil(fault, incoming, context.hang);
    const good = find(
      incoming,
      (until) => fault?.fault === "linkExpired" || !(Number.isFinite(until) && until > clock.now()),
    );
    return fault ? spoil(fault, incoming, context.hang, good) : good;
  }

  function find(incoming: Incoming, expired: (until: number) => boolean): Answer {
    const { url } = incoming;
    if (incoming.method !== "GET" && incoming.method !== "HEAD") return plain(405, "results take GET and HEAD");
    const [, taskid = "", number = ""] = /\/([^/]+)\/(\d+)\.\w+$/.exec(url.pathname) ?? [];
    const task = state.tasks.get(taskid);
    if (!task || Number(number) < 1 || Number(number) > resultsAt(task, clock.now(), behaviour))
      return plain(404, "there is no such result");
    if (expired(Number(url.searchParams.get("until"))))
      return plain(behaviour.expiredLinkStatus, "this address has expired: query the task for a new one");
    return serveFile(incoming, resultOf(task, Number(number)), `"${fingerprint(task)}-${number}"`);
  }

  function resultOf(task: EmulatorTask, number: number): ResultFile {
    const key = `${fingerprint(task)}/${number}`;
    const file = made.get(key) ?? renderResult(task, number);
    made.delete(key);
    made.set(key, file);
    const [oldest] = made.keys();
    if (made.size > resultsKept && oldest !== undefined) made.delete(oldest);
    return file;
  }
}
