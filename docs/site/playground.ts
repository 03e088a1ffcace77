// The playground: a form for each operation, the program for what is filled in, and an emulator inside the page to send it to.
import { createEmulator, magicWords, type Emulator } from "@mediagen/emulator";
import {
  blobs,
  createMediaGen,
  InvalidRequestError,
  validate,
  type AnyTask,
  type Bounds,
  type Issue,
  type KindClient,
  type MediaGen,
} from "@mediagen/sdk";
import { document as openapi } from "../../packages/emulator/src/service/openapi.gen.ts";
import { readRoutes, type Route } from "../../packages/emulator/src/service/routes.ts";
import { readBody } from "../../packages/sdk/src/form/form.ts";
import { asSdkTakesIt, curlSample, typescriptSample, type SampleCall } from "../../scripts/docs/samples.ts";
import { createForm, make, type CallForm } from "./playground-form.ts";
import { createOutcome } from "./playground-outcome.ts";

const routes = [...readRoutes().values()];
const speeds = [
  ["1", "as long as it would take"],
  ["4", "4 times as fast"],
  ["100", "100 times as fast"],
] as const;

let emulator: Emulator;
let route: Route;
let form: CallForm;
let underWay: AbortController | undefined;
/** The latest task of each kind, to query and delete. */
const latest = new Map<string, string>();

const bench = document.getElementById("bench") as HTMLElement;
const operation = make("select", { id: "operation" });
for (const kind of new Set(routes.map((one) => one.kind))) {
  const group = make("optgroup", { label: kind });
  group.append(
    ...routes
      .filter((one) => one.kind === kind)
      .map((one) => make("option", { value: one.operation, textContent: one.operation })),
  );
  operation.append(group);
}
const fieldsPlace = make("div");
const words = make("p", { className: "words", textContent: "Make something happen: " });
const speed = make("select", { id: "speed" });
speed.append(...speeds.map(([value, textContent]) => make("option", { value, textContent, selected: value === "4" })));
const target = make("select", { id: "target" });
target.append(
  make("option", { value: "emulator", textContent: "the emulator in this page" }),
  make("option", { value: "service", textContent: "an address of mine" }),
);
const baseUrl = make("input", {
  id: "base-url",
  type: "url",
  placeholder: "https://media.example.com",
  spellcheck: false,
});
const apiKey = make("input", { id: "api-key", type: "password", autocomplete: "off" });
const own = make("div", { className: "own", hidden: true });
const risk =
  "Your service bills you. The key stays in this page, and the service must allow this page's origin (CORS). A browser may resend a generation on its own if the response is lost, and then it is billed twice. Run your own programs on a server.";
own.append(
  labelled(baseUrl, "Address"),
  labelled(apiKey, "Key, if needed"),
  make("p", { className: "help", textContent: risk }),
);
const speedRow = labelled(speed, "Its time passes");
const send = make("button", { type: "submit", id: "send", textContent: "Send" });
const stop = make("button", { type: "button", id: "stop", textContent: "Stop waiting", hidden: true });
const balance = make("span", { className: "balance" });
const buttons = make("p", { className: "send" });
buttons.append(send, stop, balance);
const formElement = make("form", { noValidate: true });
formElement.append(
  labelled(operation, "Operation"),
  fieldsPlace,
  words,
  labelled(target, "Send it to"),
  own,
  speedRow,
  buttons,
);
const outcome = createOutcome();
const samples = { ts: samplePlace("TypeScript"), sh: samplePlace("curl") };
const side = make("div", { className: "side" });
side.append(outcome.element, samples.ts.element, samples.sh.element);
bench.append(formElement, side);
outcome.clear();

function labelled(control: HTMLElement, text: string): HTMLElement {
  const row = make("div", { className: "field" });
  row.append(make("label", { htmlFor: control.id, textContent: text }), control);
  return row;
}

/** A block of code under its name; the button to copy it is that of every page. */
function samplePlace(name: string): { readonly element: HTMLElement; readonly code: HTMLElement } {
  const element = make("section", { ariaLabel: name });
  const block = make("div", { className: "code" });
  const pre = make("pre", { tabIndex: 0 });
  const code = make("code");
  pre.append(code);
  block.append(pre);
  element.append(make("h2", { textContent: name }), block);
  return { element, code };
}

function createService(): void {
  const before = emulator?.snapshot();
  emulator = createEmulator({ clock: { speed: Number(speed.value) } });
  if (before) emulator.restore(before);
  const isOwn = target.value === "service";
  own.hidden = !isOwn;
  speedRow.hidden = isOwn;
  showBalance();
}

function showBalance(): void {
  balance.textContent = target.value === "emulator" ? `${emulator.credits.toLocaleString("en-GB")} credits left` : "";
}

/** The client of the emulator, which knows its statuses, or of the reader's own service, whose statuses are not documented. */
function createClient(): MediaGen {
  if (target.value === "emulator") return createMediaGen({ ...emulator.client, allowBrowser: true });
  // Without a key, the address is a server of the reader's that adds it.
  return createMediaGen({ baseUrl: baseUrl.value, apiKey: apiKey.value || undefined, allowBrowser: true });
}

function issuesOf(fields: Readonly<Record<string, unknown>>): readonly Issue[] {
  if (route.verb === "generate") return validate(route.model, fields);
  return readBody(route.body as Bounds, fields).issues;
}

function exampleOf({ path, verb, kind, body }: Route): Record<string, unknown> {
  if (verb === "generate") {
    const [content] = Object.values(openapi.paths[path]?.post.requestBody.content ?? {});
    const [example] = Object.values(content?.examples ?? {});
    return asSdkTakesIt(body as Bounds, (example?.value ?? {}) as Record<string, unknown>);
  }
  const [first = ""] = Object.keys(body.properties ?? {});
  const taskid = latest.get(kind);
  return taskid === undefined ? {} : { [first]: taskid };
}

function choose(name: string): void {
  route = routes.find((one) => one.operation === name) ?? (routes[0] as Route);
  operation.value = route.operation;
  form = createForm(route, exampleOf(route), update);
  fieldsPlace.replaceChildren(form.element);
  words.hidden = !form.has("prompt");
  update();
}

function update(): void {
  const call: SampleCall = {
    ...route,
    kind: route.kind as SampleCall["kind"],
    body: route.body as Bounds,
    fields: form.sampleValues(),
  };
  samples.ts.code.textContent = typescriptSample(call).trimEnd();
  samples.sh.code.textContent = curlSample(call).trimEnd();
  form.show(issuesOf(form.values()), false);
}

/** Sends what is filled in, by the SDK, and shows what comes of it. */
async function submit(): Promise<void> {
  if (underWay) return;
  const { verb } = route;
  const fields = form.values();
  const issues = issuesOf(fields);
  form.show(issues, true);
  outcome.clear();
  if (issues.length > 0) {
    outcome.failure(new InvalidRequestError(route.operation, issues, "Nothing was sent."), verb);
    return document.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }
  outcome.show();
  underWay = new AbortController();
  const { signal } = underWay;
  send.ariaDisabled = "true"; // Disabled, it would lose the focus.
  stop.hidden = false;
  try {
    // The casts: the kind of a route is read from the spec, and so is what its fields are.
    const client: KindClient<"video"> = createClient()[route.kind as "video"];
    if (verb === "generate") await generate(client, fields, signal);
    else {
      const [[, first] = [], ...further] = Object.entries(fields);
      const options = { ...Object.fromEntries(further), signal };
      if (verb === "query") outcome.json("Record", await client.query(String(first), options));
      else outcome.json("Response", await client.delete(first as readonly string[], options));
    }
  } catch (error) {
    if (signal.aborted)
      outcome.failure(new Error("You stopped waiting. The task continues at the service: query it later."), verb);
    else outcome.failure(error, verb);
  } finally {
    underWay = undefined;
    send.ariaDisabled = null;
    stop.hidden = true;
    showBalance();
    outcome.show();
  }
}

async function generate(
  client: KindClient<"video">,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const { kind } = route;
  const task = await client.generate(route.model as never, fields as never, { signal });
  latest.set(kind, task.taskid);
  const inside = target.value === "emulator";
  // The emulator tells more than a record does: when a task begins to run, and how far it is.
  const look = () => {
    const seen = emulator.tasks.find(({ taskid }) => taskid === task.taskid);
    if (seen)
      outcome.progress(
        seen.state === "failed" ? "running" : seen.state,
        Math.min(1, (emulator.clock.now() - seen.createdAt) / seen.endsAfterMs),
      );
  };
  const timer = inside ? setInterval(look, 60) : undefined;
  if (inside) look();
  else outcome.progress("pending", undefined);
  try {
    const record = await task.wait({ signal });
    clearInterval(timer);
    outcome.progress("succeeded", 1);
    try {
      outcome.results(task as AnyTask, await blobs(task, { signal }));
    } catch (error) {
      if (inside) throw error;
      outcome.addresses(record.url);
    }
    outcome.actions([nextButton("Query it", kind, "query"), nextButton("Delete it", kind, "delete")]);
    outcome.json("Record", record);
  } catch (error) {
    if ((error as Error).name === "TaskFailedError") outcome.progress("failed", 1);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function nextButton(textContent: string, kind: string, verb: Route["verb"]): HTMLButtonElement {
  const button = make("button", { type: "button", textContent });
  button.onclick = () => {
    const next = routes.find((one) => one.kind === kind && one.verb === verb);
    if (!next) return;
    choose(next.operation);
    operation.focus();
  };
  return button;
}

for (const [what, word] of Object.entries(magicWords)) {
  const titles: Readonly<Record<string, string>> = {
    fail: "let the task fail",
    slow: "take longer",
    credits: "be out of credits",
  };
  const button = make("button", {
    type: "button",
    textContent: titles[what] ?? what,
    title: `adds ${word} to the prompt`,
  });
  button.onclick = () => form.append("prompt", word);
  words.append(button, " ");
}
operation.addEventListener("change", () => {
  history.replaceState(null, "", `#${operation.value}`);
  choose(operation.value);
});
addEventListener("hashchange", () => choose(location.hash.slice(1)));
speed.addEventListener("change", createService);
target.addEventListener("change", createService);
stop.addEventListener("click", () => underWay?.abort());
formElement.addEventListener("submit", (event) => {
  event.preventDefault();
  void submit();
});
createService();
choose(location.hash.slice(1));
bench.dataset["ready"] = "true";
