import { listModels, type Kind } from "@mediagen/sdk";

/** Returns a task as the command line spells it. */
export function nameOf({
  kind,
  taskid,
}: {
  readonly kind: string;
  readonly taskid: string;
}): string {
  return `${kind}:${taskid}`;
}

/** Returns the kinds of tasks. */
export function kinds(): readonly Kind[] {
  return [...new Set(listModels().map(({ kind }) => kind))];
}

/** Reads a task as the command line spells it, or its id alone. */
export function readTaskName(text: string): readonly [kind: Kind | undefined, taskid: string] {
  const kind = kinds().find((one) => text.startsWith(`${one}:`));
  return [kind, kind === undefined ? text : text.slice(`${kind}:`.length)];
}
