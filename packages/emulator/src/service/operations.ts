import type { OpenCall } from "./calls.ts";
import type { Context } from "./context.ts";
import { resultUrl } from "./downloads.ts";
import { type EmulatorResponse, type EmulatorRequest, json } from "./exchange.ts";
import { type Fault, faultEffects, spoil } from "./faults.ts";
import { readRequest, type ReadRequest } from "./read-request.ts";
import { recordOf } from "./record.ts";
import type { ResultPlan } from "./results.ts";
import type { Operation, Outcome, Validate } from "./operation.ts";
import { type Behaviour, magicWords } from "./settings.ts";
import { type EmulatorTask, stateAt } from "./task.ts";

type Route = Operation & { readonly validate: Validate };

interface Envelope {
  readonly outcome: Outcome;
  readonly msg: string;
  readonly data?: unknown;
  readonly status?: number;
}

/** An unused status, for the fault `unknownStatus`. */
const unknownStatus = 424_242;
/** A code that the document does not have, for the fault `wrongCode`. */
const unknownCode = 4_242;

/** Returns a function that serves the service's operations. */
export function createOperations(context: Context): (request: EmulatorRequest) => Promise<EmulatorResponse> {
  const { behaviour, calls, clock, faults, operations, throttle } = context;
  return async (request) => {
    const { url } = request;
    const route = operations.get(url.pathname);
    const call = calls.open(clock.now(), request, route?.operation);
    const response = await (route ? serve(request, route, call) : noSuchOperation(context, request, call));
    call.status = response.status;
    return response;
  };

  async function serve(request: EmulatorRequest, route: Route, call: OpenCall): Promise<EmulatorResponse> {
    const respond = (envelope: Envelope, fault?: Fault) => {
      const body = envelopeOf(route, envelope, fault);
      call.code = body.code;
      return json(body, envelope.status);
    };
    if (request.method !== "POST") {
      const msg = `${route.path} takes POST, not ${request.method}`;
      calls.blame(call, [msg]);
      return respond({ outcome: "failure", msg, status: behaviour.wrongMethodStatus });
    }
    if (request.header("authorization") !== context.apiKey) {
      calls.blame(call, ["Authorization must be the API key"]);
      return respond({ outcome: "failure", msg: "the API key is missing or wrong", status: behaviour.wrongKeyStatus });
    }
    const retryAfter = throttle.enter();
    if (retryAfter !== undefined) return { status: 429, headers: { "retry-after": String(retryAfter) }, body: null };
    try {
      const response = await answer(request, route, call, respond);
      await throttle.delay(route.verb, request);
      return response;
    } finally {
      throttle.leave();
    }
  }

  async function answer(
    request: EmulatorRequest,
    route: Route,
    call: OpenCall,
    respond: (envelope: Envelope, fault?: Fault) => EmulatorResponse,
  ): Promise<EmulatorResponse> {
    const fault = faults.take(route);
    call.fault = fault?.fault;
    if (fault?.fault === "failure" || fault?.fault === "insufficientCredits") {
      return respond({ outcome: fault.fault, msg: "this failure was requested by a fault" });
    }
    if (fault && faultEffects[fault.fault] === "before") return spoil(fault, request, context.activity);
    const read = await readRequest(request, route, route.validate, behaviour, context.limits);
    calls.blame(call, [...read.violations, ...read.tolerated]);
    const envelope =
      read.violations.length > 0
        ? ({ outcome: "failure", msg: read.violations.join("; ") } as const)
        : await perform(context, route, read, call, fault, request.baseUrl);
    const good = respond(envelope, fault);
    return fault ? spoil(fault, request, context.activity, good) : good;
  }
}

function noSuchOperation({ behaviour, calls, operations }: Context, request: EmulatorRequest, call: OpenCall) {
  const msg = `there is no ${request.method} ${request.url.pathname}`;
  calls.blame(call, [msg]);
  // An unknown path has no codes of its own, but all operations have the same ones.
  const [like] = operations.values();
  return json({ code: like?.codes.failure, msg }, behaviour.unknownPathStatus);
}

async function perform(
  context: Context,
  route: Route,
  read: ReadRequest,
  call: OpenCall,
  fault: Fault | undefined,
  baseUrl: string,
): Promise<Envelope> {
  if (read.plan) return generate(context, route, read, read.plan, call, fault, baseUrl);
  if (route.verb === "query") return query(context, route, read, fault, baseUrl);
  return deleteTasks(context, route, read);
}

async function generate(
  context: Context,
  route: Route,
  { fields, files }: ReadRequest,
  plan: ResultPlan,
  call: OpenCall,
  fault: Fault | undefined,
  baseUrl: string,
): Promise<Envelope> {
  const { behaviour, state, clock } = context;
  const prompt = String(fields["prompt"] ?? "");
  const credits = plan.video
    ? plan.count * plan.video.seconds * behaviour.creditsPerVideoSecond
    : plan.count * behaviour.creditsPerImage;
  const left = prompt.includes(magicWords.credits) ? 0 : state.credits;
  if (credits > left) return { outcome: "insufficientCredits", msg: `${credits} credits are needed, ${left} are left` };
  const taskid = `${route.kind}-${hex(state.random())}${hex(state.random())}`;
  const slow = prompt.includes(magicWords.slow) ? 20 : 1;
  const task: EmulatorTask = {
    taskid,
    kind: route.kind,
    model: route.model,
    createdAt: clock.now(),
    fields,
    files,
    prompt,
    seed: typeof fields["seed"] === "number" ? fields["seed"] : Math.floor(state.random() * 2 ** 31),
    plan,
    startsAfterMs: behaviour.pendingMs * slow,
    endsAfterMs: (behaviour.pendingMs + runningMs(plan, behaviour)) * slow,
    fails: prompt.includes(magicWords.fail) || fault?.fault === "taskFails",
  };
  state.tasks.set(taskid, task);
  state.credits -= credits;
  state.charges.push({ taskid, operation: route.operation, credits, at: task.createdAt });
  call.created = taskid;
  await context.keep();
  const named = route.record.includes("url") ? { url: resultUrl(context, baseUrl, task, 1) } : {};
  return { outcome: "success", msg: "success", data: { taskid, ...named } };
}

function runningMs({ count, video }: ResultPlan, { runningMsPerImage, runningMsPerVideoSecond }: Behaviour): number {
  return count * (video ? video.seconds * runningMsPerVideoSecond : runningMsPerImage);
}

async function query(
  context: Context,
  route: Route,
  { fields }: ReadRequest,
  fault: Fault | undefined,
  baseUrl: string,
): Promise<Envelope> {
  const { behaviour, state, clock, statuses } = context;
  const taskid = String(fields["taskid"]);
  const task = state.tasks.get(taskid);
  if (clock.mode === "auto") {
    const before = task && stateAt(task, clock.now());
    clock.advance(behaviour.queryMovesMs);
    // Only time has changed the state. Still, a reported state must survive a restart.
    if (task && stateAt(task, clock.now()) !== before) await context.keep();
  }
  if (!task || task.kind !== route.kind) {
    if (behaviour.unknownIds === "fail") return { outcome: "failure", msg: `there is no ${route.kind} task ${taskid}` };
    return { outcome: "success", msg: "success", data: { taskid, url: [] } };
  }
  const status = fault?.fault === "unknownStatus" ? unknownStatus : statuses[stateAt(task, clock.now())];
  return { outcome: "success", msg: "success", data: recordOf(context, route, task, baseUrl, status) };
}

async function deleteTasks(context: Context, route: Route, { fields }: ReadRequest): Promise<Envelope> {
  const { behaviour, state } = context;
  const taskids = fields["taskids"] as readonly string[];
  const unknown = taskids.filter((taskid) => state.tasks.get(taskid)?.kind !== route.kind);
  if (unknown.length > 0 && behaviour.unknownIds === "fail") {
    return {
      outcome: "failure",
      msg: `there is no ${route.kind} task ${unknown.slice(0, 3).join(", ")}; nothing was deleted`,
    };
  }
  for (const taskid of taskids) if (!unknown.includes(taskid)) state.tasks.delete(taskid);
  await context.keep();
  return { outcome: "success", msg: "success", data: { status: "Success" } };
}

function envelopeOf(
  { codes }: Route,
  { outcome, msg, data }: Envelope,
  fault?: Fault,
): { readonly code: number; readonly msg: string } {
  const code = fault?.fault === "wrongCode" ? unknownCode : codes[outcome];
  return { code, msg, ...(data === undefined ? {} : { data }) };
}

function hex(share: number): string {
  return Math.floor(share * 2 ** 24)
    .toString(16)
    .padStart(6, "0");
}
