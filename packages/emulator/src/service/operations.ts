import { type Behaviour, magicWords } from "./behaviour.ts";
import type { OpenCall } from "./calls.ts";
import type { Context } from "./context.ts";
import { resultAddress } from "./downloads.ts";
import { type Answer, type Incoming, json } from "./exchange.ts";
import { type Fault, faultEffects, spoil } from "./faults.ts";
import { readRequest, type ReadRequest } from "./read-request.ts";
import { planResults, type ResultPlan } from "./results.ts";
import type { Outcome, Route } from "./routes.ts";
import { type EmulatorTask, resultsAt, stateAt } from "./task.ts";
import { violationsOf } from "./validate.ts";

interface Envelope {
  readonly outcome: Outcome;
  readonly msg: string;
  readonly data?: unknown;
  readonly status?: number;
}

/** A status that stands in no table, for the fault that answers one. */
const unknownStatus = 424_242;
/** A code that stands in no table. */
const unknownCode = 4_242;

/** The service's operations, as a function. */
export function createOperations(context: Context): (incoming: Incoming) => Promise<Answer> {
  const { calls, clock, faults, routes } = context;
  return async (incoming) => {
    const { url } = incoming;
    const call = calls.open(clock.now(), incoming);
    const route = routes.get(url.pathname);
    const answer = await (route ? serve(incoming, route, call) : noSuchOperation(incoming, [...routes.values()][0]));
    call.status = answer.status;
    return answer;
  };

  async function serve(incoming: Incoming, route: Route, call: OpenCall): Promise<Answer> {
    call.operation = route.operation;
    const answer = (envelope: Envelope, fault?: Fault) => {
      const body = envelopeOf(route, envelope, fault);
      call.code = body.code;
      return json(body, envelope.status);
    };
    if (incoming.method !== "POST")
      return answer({ outcome: "failure", msg: `${route.path} takes POST, not ${incoming.method}`, status: 405 });
    if (incoming.header("authorization") !== context.apiKey) {
      call.violations = ["Authorization must be the API key"];
      return answer({ outcome: "failure", msg: "the API key is missing or wrong", status: 401 });
    }
    const fault = faults.take(route);
    call.fault = fault?.fault;
    if (fault?.fault === "failure" || fault?.fault === "insufficientCredits") {
      return answer({ outcome: fault.fault, msg: "the emulator was asked for this" });
    }
    if (fault && faultEffects[fault.fault] === "before") return spoil(fault, incoming, context.hang);
    const read = await readRequest(incoming, route, context.behaviour);
    call.violations = read.violations;
    const envelope =
      read.violations.length > 0
        ? ({ outcome: "failure", msg: read.violations.join("; ") } as const)
        : await perform(context, route, read, call, fault, incoming.url.origin);
    const good = answer(envelope, fault);
    return fault ? spoil(fault, incoming, context.hang, good) : good;
  }
}

async function perform(
  context: Context,
  route: Route,
  read: ReadRequest,
  call: OpenCall,
  fault: Fault | undefined,
  origin: string,
): Promise<Envelope> {
  if (route.verb === "generate") return generate(context, route, read, call, fault, origin);
  if (route.verb === "query") return query(context, route, read, fault, origin);
  return deleteTasks(context, route, read);
}

async function generate(
  context: Context,
  route: Route,
  read: ReadRequest,
  call: OpenCall,
  fault: Fault | undefined,
  origin: string,
): Promise<Envelope> {
  const { behaviour, state, clock } = context;
  const { fields, files } = read;
  const prompt = String(fields["prompt"] ?? "");
  const plan = planResults(route.kind, route.body, fields, behaviour);
  const credits = plan.video
    ? plan.count * plan.video.seconds * behaviour.creditsPerVideoSecond
    : plan.count * behaviour.creditsPerImage;
  if (credits > state.credits || prompt.includes(magicWords.credits)) {
    return { outcome: "insufficientCredits", msg: `${credits} credits are needed, ${state.credits} are left` };
  }
  const taskid = `${route.kind}-${hex(state.random())}${hex(state.random())}`;
  const slow = prompt.includes(magicWords.slow) ? behaviour.slowFactor : 1;
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
  const named = route.data.properties?.["url"] ? { url: resultAddress(context, origin, task, 1) } : {};
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
  origin: string,
): Promise<Envelope> {
  const { behaviour, state, clock, statuses } = context;
  const taskid = String(fields["taskid"]);
  const task = state.tasks.get(taskid);
  if (clock.mode === "auto") {
    const before = task && stateAt(task, clock.now());
    clock.advance(behaviour.queryMovesMs);
    // A state that was answered stays so after a restart, though nothing but time has changed.
    if (task && stateAt(task, clock.now()) !== before) await context.keep();
  }
  if (!task || task.kind !== route.kind) {
    if (behaviour.unknownIds === "fail") return { outcome: "failure", msg: `there is no ${route.kind} task ${taskid}` };
    return { outcome: "success", msg: "success", data: { taskid, url: [] } };
  }
  const now = clock.now();
  const reached = stateAt(task, now);
  const status = fault?.fault === "unknownStatus" ? unknownStatus : statuses[reached];
  const url = Array.from({ length: resultsAt(task, now, behaviour) }, (_, index) =>
    resultAddress(context, origin, task, index + 1),
  );
  const message = reached === "failed" ? "the emulator was asked to let this task fail" : "";
  const form =
    [...context.routes.values()].find(({ verb, model }) => verb === "generate" && model === task.model)?.body
      .properties ?? {};
  const known: Readonly<Record<string, unknown>> = {
    taskid,
    url,
    message,
    source: "emulator",
    imageurl: task.fields["imageUrl"] ?? "",
    starttime: new Date(task.createdAt).toISOString().slice(0, 19).replace("T", " "),
    seed: task.seed,
    width: task.plan.width,
    height: task.plan.height,
    ...(task.plan.video ? { fps: Math.round(task.plan.video.fps), duration: Math.round(task.plan.video.seconds) } : {}),
  };
  const record = Object.keys(route.data.properties ?? {}).map((name) => {
    const value = name.endsWith("_status") ? status : (known[name] ?? task.fields[name] ?? form[name]?.default);
    return [name, value] as const;
  });
  return {
    outcome: "success",
    msg: "success",
    data: Object.fromEntries(record.filter(([, value]) => value !== undefined)),
  };
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

/** The envelope of an answer, held against the spec before it leaves: a violation is a bug of the emulator's, and loud. */
function envelopeOf(route: Route, { outcome, msg, data }: Envelope, fault?: Fault): { readonly code: number } {
  const body = { code: route.codes[outcome], msg, ...(data === undefined ? {} : { data }) };
  const { oneOf = [route.answer] } = route.answer;
  if (!oneOf.some((branch) => violationsOf(branch, body).length === 0)) {
    throw new Error(
      `the emulator's answer to ${route.operation} is not the spec's: ${violationsOf(route.answer, body).join("; ")}`,
    );
  }
  return fault?.fault === "wrongCode" ? { ...body, code: unknownCode } : body;
}

function noSuchOperation({ url, method }: Incoming, like: Route | undefined): Answer {
  return json({ code: like?.codes.failure, msg: `there is no ${method} ${url.pathname}` }, 404);
}

function hex(share: number): string {
  return Math.floor(share * 2 ** 24)
    .toString(16)
    .padStart(6, "0");
}
