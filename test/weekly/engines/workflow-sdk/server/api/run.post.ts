import { defineHandler } from "nitro/h3";
import { start } from "workflow/api";
import { makeVideo } from "../../../out/engines/workflow-sdk.ts";
import { makeVideo as makeNaively } from "../../naive.ts";

/** Runs a workflow to its end, and returns its URLs or why it failed. */
export default defineHandler(async ({ url }) => {
  const form = { prompt: "A fox" };
  const run = await (url.searchParams.has("naive")
    ? start(makeNaively, [form])
    : start(makeVideo, [form]));
  return run.returnValue.then(
    (returned: unknown) => ({ returned }),
    (error: unknown) => ({ failed: String(error) }),
  );
});
