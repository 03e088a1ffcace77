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

/** One request to an operation, and what is recorded of it. */
interface Exchange {
  readonly route: Route;
  readonly request: EmulatorRequest;
  readonly call: OpenCall;
}

/** Returns a function that serves the service's operations. */
export function createOperations(
  context: Context,
): (request: EmulatorRequest) => Promise<EmulatorResponse> {
  const { calls, clock, operations } = context;
  return async (request) => {
    const { url } = request;
    const route = operations.get(url.pathname);
    const call = calls.open(clock.now(), request, route?.operation);
    const response = route
      ? await serve(context, { route, request, call })
      : noSuchOperation(context, request, call);
    call.status = response.status;
    return response;
  };
}

async function serve(context: Context, exchange: Exchange): Promise<EmulatorResponse> {
  const { behaviour, calls, throttle } = context;
  const { route, request, call } = exchange;
  if (request.method !== "POST") {
    const msg = `${route.path} takes POST, not ${request.method}`;
    calls.blame(call, [msg]);
    return respond(exchange, { outcome: "failure", msg, status: behaviour.wrongMethodStatus });
  }
  if (request.header("authorization") !== context.apiKey) {
    const msg = "the API key is missing or wrong";
    calls.blame(call, ["Authorization must be the API key"]);
    return respond(exchange, { outcome: "failure", msg, status: behaviour.wrongKeyStatus });
  }
  const retryAfter = throttle.enter();
  if (retryAfter !== undefined)
    return { status: 429, headers: { "retry-after": String(retryAfter) }, body: null };
  try {
    const response = await perform(context, exchange);
    await throttle.delay(route.verb, request);
    return response;
  } finally {
    throttle.leave();
  }
}

/**
 * Performs the operation, unless a fault comes before it. A fault that comes after it spoils its
 * response.
 */
async function perform(context: Context, exchange: Exchange): Promise<EmulatorResponse> {
  const { activity, behaviour, calls, faults, limits } = context;
  const { route, request, call } = exchange;
  const fault = faults.take(route);
  call.fault = fault?.fault;
  if (fault?.fault === "failure" || fault?.fault === "insufficientCredits") {
    return respond(exchange, {
      outcome: fault.fault,
      msg: "this failure was requested by a fault",
    });
  }
  if (fault && faultEffects[fault.fault] === "before") return spoil(fault, request, activity);
  const read = await readRequest(request, route, { behaviour, limits });
  calls.blame(call, [...read.violations, ...read.tolerated]);
  const good = respond(exchange, await outcomeOf(context, exchange, read, fault), fault);
  return fault ? spoil(fault, request, activity, good) : good;
}

function respond({ route, call }: Exchange, envelope: Envelope, fault?: Fault): EmulatorResponse {
  const body = envelopeOf(route, envelope, fault);
  call.code = body.code;
  return json(body, envelope.status);
}

function noSuchOperation(
  { behaviour, calls, operations }: Context,
  request: EmulatorRequest,
  call: OpenCall,
) {
  const msg = `there is no ${request.method} ${request.url.pathname}`;
  calls.blame(call, [msg]);
  // An unknown path has no codes of its own, but all operations have the same ones.
  const [like] = operations.values();
  return json({ code: like?.codes.failure, msg }, behaviour.unknownPathStatus);
}

async function outcomeOf(
  context: Context,
  exchange: Exchange,
  read: ReadRequest,
  fault: Fault | undefined,
): Promise<Envelope> {
  if (read.violations.length > 0) return { outcome: "failure", msg: read.violations.join("; ") };
  if (read.plan) return generate(context, exchange, { ...read, plan: read.plan }, fault);
  if (exchange.route.verb === "query") return query(context, exchange, read, fault);
  return deleteTasks(context, exchange.route, read);
}

async function generate(
  context: Context,
  { route, request, call }: Exchange,
  { fields, files, plan }: ReadRequest & { readonly plan: ResultPlan },
  fault: Fault | undefined,
): Promise<Envelope> {
  const { behaviour, state, clock } = context;
  const prompt = String(fields["prompt"] ?? "");
  const credits = plan.video
    ? plan.count * plan.video.seconds * behaviour.creditsPerVideoSecond
    : plan.count * behaviour.creditsPerImage;
  const left = prompt.includes(magicWords.credits) ? 0 : state.credits;
  if (credits > left)
    return {
      outcome: "insufficientCredits",
      msg: `${credits} credits are needed, ${left} are left`,
    };
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
    seed:
      typeof fields["seed"] === "number" ? fields["seed"] : Math.floor(state.random() * 2 ** 31),
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
  const named = route.record.includes("url")
    ? { url: resultUrl(context, request.baseUrl, task, 1) }
    : {};
  return { outcome: "success", msg: "success", data: { taskid, ...named } };
}

function runningMs(
  { count, video }: ResultPlan,
  { runningMsPerImage, runningMsPerVideoSecond }: Behaviour,
): number {
  return count * (video ? video.seconds * runningMsPerVideoSecond : runningMsPerImage);
}

async function query(
  context: Context,
  { route, request }: Exchange,
  { fields }: ReadRequest,
  fault: Fault | undefined,
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
    if (behaviour.unknownIds === "fail")
      return { outcome: "failure", msg: `there is no ${route.kind} task ${taskid}` };
    return { outcome: "success", msg: "success", data: { taskid, url: [] } };
  }
  const status =
    fault?.fault === "unknownStatus" ? unknownStatus : statuses[stateAt(task, clock.now())];
  return {
    outcome: "success",
    msg: "success",
    data: recordOf(context, task, { names: route.record, baseUrl: request.baseUrl, status }),
  };
}

async function deleteTasks(
  context: Context,
  route: Route,
  { fields }: ReadRequest,
): Promise<Envelope> {
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
