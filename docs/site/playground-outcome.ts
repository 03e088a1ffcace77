import { ServiceError, TaskFailedError, type AnyTask } from "@mediagen/sdk";
import { make } from "./playground-form.ts";

const states = ["pending", "running", "succeeded"];

/** Creates the panel that shows the outcome of a call. */
export function createOutcome() {
  const element = make("section", { className: "outcome", ariaLabel: "Outcome" });
  const said = make("p", { className: "said" });
  said.role = "status";
  const steps = make("ol", { className: "steps" });
  const bar = make("progress", { max: 1, ariaLabel: "Progress of the task" });
  const shown = make("div", { className: "shown-results" });
  const lines = make("code");
  const logged = make("details", { className: "log", hidden: true });
  const pre = make("pre", { tabIndex: 0 });
  pre.append(lines);
  logged.append(make("summary", { textContent: "The SDK's log" }), pre);
  element.append(said, steps, bar, shown, logged);
  let urls: string[] = [];
  /**
   * Scrolls to the panel if it is not completely visible. On a narrow screen it is below the form.
   */
  const show = () => {
    const { top, bottom } = element.getBoundingClientRect();
    const header = document.querySelector(".top")?.clientHeight ?? 0;
    if (top < header || bottom > innerHeight) element.scrollIntoView();
  };
  const block = (title: string, value: unknown, open = true) => {
    const details = make("details", { open });
    const pre = make("pre", { tabIndex: 0 });
    pre.append(make("code", { textContent: JSON.stringify(value, null, 2) }));
    details.append(make("summary", { textContent: title }), pre);
    return details;
  };
  return {
    element,
    show,
    /** Removes the previous outcome. */
    clear() {
      for (const url of urls) URL.revokeObjectURL(url);
      urls = [];
      element.dataset["state"] = "";
      said.textContent = "";
      steps.replaceChildren();
      bar.hidden = true;
      shown.replaceChildren();
      lines.textContent = "";
      logged.hidden = true;
    },
    /** Adds a line of the SDK's log. */
    log(line: string) {
      lines.append(`${line}\n`);
      logged.hidden = false;
    },
    /** Shows the state of a task and its progress, from 0 to 1. */
    progress(state: string, share: number) {
      if (element.dataset["state"] !== state) {
        element.dataset["state"] = state;
        said.textContent =
          state === "failed" || state === "succeeded"
            ? `The task has ${state}.`
            : `The task is ${state}.`;
        const last = state === "failed" ? "failed" : "succeeded";
        const at = state === "failed" ? 2 : states.indexOf(state);
        steps.replaceChildren(
          ...["pending", "running", last].map((name, index) => {
            const now = index === at ? `now ${name}` : "";
            return make("li", { textContent: name, className: index < at ? "done" : now });
          }),
        );
      }
      bar.hidden = state === "failed" || state === "succeeded";
      bar.value = share;
    },
    results(task: AnyTask, blobs: readonly Blob[]) {
      const media = blobs.map((blob, index) => {
        const url = URL.createObjectURL(blob);
        urls.push(url);
        const words = `Result ${index + 1} of ${blobs.length} of task ${task.taskid}`;
        if (blob.type.startsWith("image/")) return make("img", { src: url, alt: words });
        const autoplay = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        return make("video", {
          src: url,
          controls: true,
          muted: true,
          loop: true,
          autoplay,
          ariaLabel: words,
        });
      });
      const grid = make("div", { className: `results count-${Math.min(media.length, 4)}` });
      // Their heights are known only after they have loaded.
      for (const one of media)
        one.addEventListener(one instanceof HTMLImageElement ? "load" : "loadedmetadata", show, {
          once: true,
        });
      grid.append(...media);
      shown.append(grid);
    },
    json(title: string, value: unknown) {
      const isAll = said.textContent === "";
      if (isAll) {
        element.dataset["state"] = "responded";
        said.textContent = "The service responded.";
      }
      shown.append(block(title, value, isAll));
    },
    actions(buttons: readonly HTMLButtonElement[]) {
      const row = make("p", { className: "next" });
      row.append(...buttons);
      shown.append(row);
    },
    /** Shows an error. Its message says what it means for the money. */
    failure(thrown: unknown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (!(error instanceof TaskFailedError)) element.dataset["state"] = "rejected";
      said.textContent =
        error instanceof TypeError ? "A part of this page could not be loaded" : error.name;
      bar.hidden = true;
      shown.append(make("p", { className: "message", textContent: error.message }));
      if (error instanceof ServiceError && error.code !== undefined)
        shown.append(block(`Response, HTTP ${error.status}`, { code: error.code, msg: error.msg }));
      if (error instanceof TaskFailedError) shown.append(block("Record", error.record));
    },
  };
}
