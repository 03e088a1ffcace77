// The playground: a form for each operation, programs that send the same form, and an emulator
// inside the page.
import {
  blobs,
  InvalidRequestError,
  validate,
  type AnyTask,
  type Issue,
  type KindClient,
  type MediaGenEvent,
} from "@mediagen/sdk";
import { readBody } from "../../packages/sdk/src/form/form.ts";
import { operations } from "../../packages/sdk/src/spec/operations.gen.ts";
import openapi from "../../packages/sdk/openapi.gen.json" with { type: "json" };
import {
  handlers,
  sampleCalls,
  type CaughtError,
  type SampleCall,
} from "../../scripts/docs/samples.ts";
import { resolveSpec } from "../../scripts/spec.ts";
import { createFaultMenu, type Mishap } from "./playground-faults.ts";
import { createForm, make, type CallForm } from "./playground-form.ts";
import { fragmentOf, readFragment } from "./playground-link.ts";
import { createOutcome } from "./playground-outcome.ts";
import { createSamples } from "./playground-samples.ts";
import { createService, labelled } from "./playground-service.ts";

const calls = sampleCalls(resolveSpec(openapi));
let route: SampleCall;
let form: CallForm;
/** The error of the latest call, which the program then handles. */
let caught: CaughtError | undefined;
let underWay: AbortController | undefined;
/** The latest task of each kind, to query and delete. */
const latest = new Map<string, string>();

const operation = make("select", { id: "operation" });
for (const [kind, ofKind] of Map.groupBy(calls, (one) => one.kind)) {
  const group = make("optgroup", { label: kind });
  const names = ofKind.map(
    ({ operation: { operationId, summary } }) => [operationId, summary] as const,
  );
  group.append(...names.map(([value, textContent]) => make("option", { value, textContent })));
  operation.append(group);
}
const fieldsPlace = make("div");
const faults = createFaultMenu(changed);
const service = createService();
const send = make("button", { type: "submit", id: "send", textContent: "Send" });
const stop = make("button", {
  type: "button",
  id: "stop",
  textContent: "Stop waiting",
  hidden: true,
});
const copyLink = make("button", { type: "button", id: "copy-link", textContent: "Copy link" });
const buttons = make("p", { className: "send" });
buttons.append(send, stop, copyLink, service.balance);
const formElement = make("form", { noValidate: true });
formElement.append(labelled(operation, "Operation"), fieldsPlace);
formElement.append(labelled(faults.element, "Fault", faults.help), service.element, buttons);
const outcome = createOutcome();
const samples = createSamples();
const side = make("div", { className: "side" });
side.append(outcome.element, make("h2", { textContent: "As a program" }), samples.element);
const bench = document.getElementById("bench") as HTMLElement;
bench.append(formElement, side);
outcome.clear();

function issuesOf(fields: Readonly<Record<string, unknown>>): readonly Issue[] {
  if (route.verb === "generate") return validate(route.model, fields);
  return readBody(operations[route.kind][route.verb].body, fields).issues;
}

function exampleOf({ verb, kind, body, fields }: SampleCall): SampleCall["fields"] {
  if (verb === "generate") return fields;
  const [first = ""] = Object.keys(body.properties ?? {});
  const taskid = latest.get(kind);
  return taskid === undefined ? {} : { [first]: taskid };
}

/** Opens a link: shows the form of an operation, filled in from the link or the example. */
function open(fragment: string): void {
  const { operation: name, fields, fault } = readFragment(fragment);
  route = calls.find((one) => one.operation.operationId === name) ?? (calls[0] as SampleCall);
  operation.value = route.operation.operationId;
  form = createForm(route, exampleOf(route), changed);
  if (fields) form.fill(fields);
  faults.offer(route.verb, fault);
  caught = undefined;
  fieldsPlace.replaceChildren(form.element);
  update();
}

/** Updates the page's URL after a change by the user. */
function changed(): void {
  caught = undefined;
  const fault = faults.element.value;
  history.replaceState(
    null,
    "",
    fragmentOf({ operation: route.operation.operationId, fields: form.texts(), fault }),
  );
  update();
}

function update(): void {
  samples.show({ ...route, fields: form.sampleValues(), caught });
  form.show(issuesOf(form.values()), false);
}

/** Sends the form with the SDK, and shows the outcome and the program that handles it. */
async function submit(): Promise<void> {
  if (underWay) return;
  const { verb } = route;
  const fields = form.values();
  const issues = issuesOf(fields);
  outcome.clear();
  form.show(issues, true);
  if (issues.length > 0) {
    fail(new InvalidRequestError(route.operation.operationId, issues, "Nothing was sent."));
    return document.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }
  outcome.show();
  underWay = new AbortController();
  const { signal } = underWay;
  send.ariaDisabled = "true"; // Disabled, it would lose the focus.
  stop.hidden = false;
  try {
    const mishap = faults.mishap();
    const onEvent = ({ type, ...fields }: MediaGenEvent) =>
      outcome.log(`${type} ${JSON.stringify(fields)}`);
    // The casts: the kind and the fields of a route come from the spec.
    const client: KindClient<"video"> = service.connect(mishap, onEvent)[route.kind as "video"];
    if (verb === "generate") await generate(client, fields, mishap, signal);
    else {
      const [[, first] = [], ...further] = Object.entries(fields);
      const options = { ...Object.fromEntries(further), signal };
      if (verb === "query") outcome.json("Record", await client.query(String(first), options));
      else outcome.json("Response", await client.delete(first as readonly string[], options));
    }
  } catch (error) {
    if (signal.aborted)
      outcome.failure(
        new Error("You stopped waiting. The task continues at the service: query it later."),
      );
    else {
      fail(error);
      if (error instanceof InvalidRequestError) form.show(error.issues, true);
    }
  } finally {
    underWay = undefined;
    send.ariaDisabled = null;
    stop.hidden = true;
    service.showBalance();
    outcome.show();
  }
}

function fail(error: unknown): void {
  outcome.failure(error);
  const { name } = error as Error;
  caught = Object.hasOwn(handlers, name) ? (name as CaughtError) : undefined;
  update();
}

async function generate(
  client: KindClient<"video">,
  fields: Readonly<Record<string, unknown>>,
  { waitTimeoutMs }: Mishap,
  signal: AbortSignal,
): Promise<void> {
  const { kind } = route;
  const { emulator } = service;
  const task = await client.generate(route.model as never, fields as never, { signal });
  latest.set(kind, task.taskid);
  // The emulator reports more than a record has: when a task starts to run, and its progress.
  const look = () => {
    const seen = emulator.tasks.find(({ taskid }) => taskid === task.taskid);
    if (!seen) return;
    const share = Math.min(1, (emulator.clock.now() - seen.createdAt) / seen.endsAfterMs);
    outcome.progress(seen.state === "failed" ? "running" : seen.state, share);
  };
  const timer = setInterval(look, 60);
  look();
  try {
    const record = await task.wait({ signal, waitTimeoutMs });
    clearInterval(timer);
    outcome.progress("succeeded", 1);
    outcome.results(task as AnyTask, await blobs(task, { signal }));
    outcome.actions([
      nextButton("Query it", kind, "query"),
      nextButton("Delete it", kind, "delete"),
    ]);
    outcome.json("Record", record);
  } catch (error) {
    if ((error as Error).name === "TaskFailedError") outcome.progress("failed", 1);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function nextButton(
  textContent: string,
  kind: string,
  verb: SampleCall["verb"],
): HTMLButtonElement {
  const button = make("button", { type: "button", textContent });
  button.onclick = () => {
    const next = calls.find((one) => one.kind === kind && one.verb === verb);
    if (!next) return;
    open(next.operation.operationId);
    operation.focus();
  };
  return button;
}

operation.addEventListener("change", () => {
  history.pushState(null, "", `#${operation.value}`);
  open(operation.value);
});
addEventListener("hashchange", () => open(location.hash));
stop.addEventListener("click", () => underWay?.abort());
copyLink.addEventListener("click", async () => {
  const copied = navigator.clipboard.writeText(location.href);
  copyLink.textContent = await copied.then(() => "Copied").catch(() => "Not copied");
  setTimeout(() => (copyLink.textContent = "Copy link"), 1_500);
});
formElement.addEventListener("submit", (event) => {
  event.preventDefault();
  void submit();
});
open(location.hash);
bench.dataset["ready"] = "true";
