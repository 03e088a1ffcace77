import type { Context } from "./context.ts";
import { type EmulatorResponse, type EmulatorRequest, plain } from "./exchange.ts";
import { type Fault, faultEffects, spoil } from "./faults.ts";
import { resultsPath } from "./paths.ts";
import { fingerprint, formatOf, renderResult, type ResultFile, serveFile } from "./results.ts";
import { type EmulatorTask, resultsAt } from "./task.ts";

/**
 * Maximum number of cached results. They are cached because players request many ranges of one
 * file.
 */
const resultsKept = 16;

/** Returns the URL of a result. It expires after `linksLiveMs`. */
export function resultUrl(
  context: Context,
  baseUrl: string,
  task: EmulatorTask,
  number: number,
): string {
  const { clock, behaviour } = context;
  const until = Math.floor(clock.now() + behaviour.linksLiveMs);
  return `${baseUrl}${resultsPath}${nameOf(context, task, number)}?until=${until}`;
}

/**
 * Returns the URL of a result for the emulator's page, relative to `/_emulator/`. It changes only
 * if the result changes.
 */
export function previewUrl(context: Context, task: EmulatorTask, number: number): string {
  return `preview/${nameOf(context, task, number)}?of=${fingerprint(task)}`;
}

function nameOf({ results }: Context, task: EmulatorTask, number: number): string {
  const { extension } = results(task, number) ?? formatOf(task.plan);
  return `${task.taskid}/${number}.${extension}`;
}

/** The files of results. */
export interface Downloads {
  serves(pathname: string): boolean;
  serve(request: EmulatorRequest): Promise<EmulatorResponse>;
  /**
   * Serves a result to the emulator's page. A preview is not a call: it is not logged, meets no
   * fault and never expires.
   */
  preview(request: EmulatorRequest): Promise<EmulatorResponse>;
}

/** Creates the server of results. It renders each result at its first request. */
export function createDownloads(context: Context): Downloads {
  const { behaviour, calls, clock, faults, results, state, throttle } = context;
  const made = new Map<string, ResultFile>();
  return {
    serves: (pathname) => pathname.startsWith(resultsPath),
    async serve(request) {
      const call = calls.open(clock.now(), request, "download");
      const fault = faults.take({ verb: "download", operation: "download" });
      call.fault = fault?.fault;
      const response = await spoiled(request, fault);
      await throttle.delay("download", request);
      call.status = response.status;
      return response;
    },
    preview: (request) => find(request, () => false),
  };

  async function spoiled(
    request: EmulatorRequest,
    fault: Fault | undefined,
  ): Promise<EmulatorResponse> {
    if (fault && fault.fault !== "linkExpired" && faultEffects[fault.fault] === "before")
      return spoil(fault, request, context.activity);
    const good = await find(
      request,
      (until) => fault?.fault === "linkExpired" || !(Number.isFinite(until) && until > clock.now()),
    );
    return fault ? spoil(fault, request, context.activity, good) : good;
  }

  async function find(
    request: EmulatorRequest,
    expired: (until: number) => boolean,
  ): Promise<EmulatorResponse> {
    const { url } = request;
    if (request.method !== "GET" && request.method !== "HEAD")
      return plain(405, "results support GET and HEAD");
    const [, taskid = "", number = ""] = /\/([^/]+)\/(\d+)\.\w+$/.exec(url.pathname) ?? [];
    const task = state.tasks.get(taskid);
    if (!task || Number(number) < 1 || Number(number) > resultsAt(task, clock.now(), behaviour))
      return plain(404, "there is no such result");
    if (expired(Number(url.searchParams.get("until"))))
      return plain(403, "this URL has expired: query the task for a new one");
    const file = await resultOf(task, Number(number));
    return serveFile(request, file, `"${fingerprint(task)}-${number}-${file.bytes.length}"`);
  }

  async function resultOf(task: EmulatorTask, number: number): Promise<ResultFile> {
    const own = results(task, number);
    if (own) return { type: own.type, bytes: await own.bytes() };
    const key = `${fingerprint(task)}/${number}`;
    const file = made.get(key) ?? (await renderResult(task, number));
    made.delete(key);
    made.set(key, file);
    const [oldest] = made.keys();
    if (made.size > resultsKept && oldest !== undefined) made.delete(oldest);
    return file;
  }
}
