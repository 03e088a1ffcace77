import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import typescript from "highlight.js/lib/languages/typescript";
import { curlSample, typescriptSample, type SampleCall } from "../../scripts/docs/samples.ts";
import { make } from "./playground-form.ts";

hljs.registerLanguage("bash", bash);
hljs.registerLanguage("typescript", typescript);

/** The programs for a call. */
const languages = [
  { name: "TypeScript", language: "typescript", sampleOf: typescriptSample },
  { name: "curl", language: "bash", sampleOf: curlSample },
] as const;

/** Creates the panel with the programs, in tabs. The site's script adds copy buttons. */
export function createSamples() {
  const element = make("div", { className: "tabs", role: "radiogroup", ariaLabel: "Language" });
  const codes = languages.map(() => make("code"));
  for (const [index, { name }] of languages.entries()) {
    const id = `sample-${index}`;
    element.append(make("input", { type: "radio", name: "sample", id, checked: index === 0 }));
    element.append(make("label", { htmlFor: id, textContent: name }));
  }
  for (const code of codes) {
    const pre = make("pre", { tabIndex: 0 });
    const block = make("div", { className: "code" });
    pre.append(code);
    block.append(pre);
    element.append(block);
  }
  return {
    element,
    show(call: SampleCall) {
      for (const [index, { language, sampleOf }] of languages.entries()) {
        // The highlighter escapes the text.
        const { value } = hljs.highlight(sampleOf(call).trimEnd(), { language });
        Object.assign(codes[index] ?? {}, { innerHTML: value });
      }
    },
  };
}
