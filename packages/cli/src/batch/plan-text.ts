import type { BatchPlan, PlannedModel } from "@mediagen/batch";
import { counted } from "../terminal/text.ts";

/** Returns what a batch would bill, in words. */
export function planText(
  { lines, generations, retries, unknown, byModel }: BatchPlan,
  limit?: number,
): string {
  const models = Object.entries(byModel).map(([model, planned]) => modelText(model, planned));
  const of = models.length > 0 ? ` (${models.join("; ")})` : "";
  const most = retries > 0 || generations === limit ? "at most " : "";
  const again = retries > 0 ? `, up to ${retries} of them again because a task has failed` : "";
  const have = unknown === 1 ? "has" : "have";
  const open = unknown > 0 ? `; ${counted(unknown, "line")} ${have} an unknown outcome` : "";
  return `${most}${counted(generations, "paid generation")} for ${counted(lines, "line")}${of}${again}${open}`;
}

function modelText(model: string, { generations, amount, unit, open }: PlannedModel): string {
  const what =
    unit === "image" ? counted(amount, "image") : `${counted(amount, "second")} of video`;
  const how = unit === "image" ? "how many" : "how long";
  const least =
    open > 0
      ? `at least ${what} because ${open} ${open === 1 ? "does" : "do"} not say ${how}`
      : what;
  return `${generations} of ${model}, ${least}`;
}
