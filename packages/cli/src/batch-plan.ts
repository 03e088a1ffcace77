import type { BatchPlan, PlannedModel } from "@mediagen/batch";

/** Returns what a batch would bill, in words. */
export function planText({ lines, generations, retries, byModel }: BatchPlan): string {
  const models = Object.entries(byModel).map(([model, planned]) => modelText(model, planned));
  const of = models.length > 0 ? ` (${models.join("; ")})` : "";
  const again = retries > 0 ? `, ${retries} of them because an earlier task failed` : "";
  return `${counted(generations, "paid generation")} for ${counted(lines, "line")}${of}${again}`;
}

function modelText(model: string, { generations, amount, unit, open }: PlannedModel): string {
  const what = unit === "image" ? counted(amount, "image") : `${counted(amount, "second")} of video`;
  const how = unit === "image" ? "how many" : "how long";
  const least = open > 0 ? `at least ${what} because ${open} ${open === 1 ? "does" : "do"} not say ${how}` : what;
  return `${generations} of ${model}, ${least}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
