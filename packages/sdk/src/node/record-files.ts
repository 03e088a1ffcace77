import { readdirSync, readFileSync } from "node:fs";
import type { GenerationRecord } from "../task/generation.ts";
import { codeOf } from "./error-code.ts";

/** The highest revision of a record. A life lasts from the first revision until the record is forgotten. */
export interface Top {
  readonly life: string;
  readonly revision: number;
}

/** The contents of a record's directory; without a record if there is none, or if it is being forgotten. */
export interface Stored {
  readonly names: readonly string[];
  readonly top: Top | undefined;
  readonly record: GenerationRecord | undefined;
}

/** Returns whether it may be a record's id. Anything else could be a path out of the directory. */
export function isId(id: string): boolean {
  return /^[\da-f]{2}[\w-]*$/.test(id);
}

export function nameOf({ life, revision }: Top): string {
  return `${revision}.${life}.json`;
}

export function readName(name: string): Top | undefined {
  const [, revision, life] = /^(\d+)\.([\w-]+)\.json$/.exec(name) ?? [];
  return revision && life ? { life, revision: Number(revision) } : undefined;
}

/** Returns the highest revision of the life that has its first one. */
export function topIn(names: readonly string[]): Top | undefined {
  const revisions = names.flatMap((name) => readName(name) ?? []);
  const life = revisions.find(({ revision }) => revision === 1)?.life;
  return revisions.filter((one) => one.life === life).sort((a, b) => b.revision - a.revision)[0];
}

/**
 * Reads a record's directory synchronously: waiting for another thread at each file takes several times as long as reading it. Returns
 * undefined if something is unusual, as when it is being written: then it has to be read with care.
 */
export function readAtOnce(directory: string): Stored | undefined {
  try {
    const names = readdirSync(directory);
    const top = topIn(names);
    if (!top) return undefined;
    const text = readIfThere(`${directory}/${nameOf(top)}`);
    // The cast: the version is checked where records are read.
    return text ? { names, top, record: (JSON.parse(text) as GenerationRecord | null) ?? undefined } : undefined;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { names: [], top: undefined, record: undefined } : undefined;
  }
}

/** Returns the text of a file; undefined if it cannot be read, as when it is gone by now. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
