import fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { mayFollow, mayForget } from "../money/entry.ts";
import type { GenerationStore, ListFilter, WriteResult } from "../store/store.ts";
import type { ForgetOptions, GenerationEntry, UnreadableEntry } from "../task/generation.ts";
import {
  codeOf,
  makeDurably,
  namesIn,
  newPart,
  publish,
  removeParts,
  sync,
  writeDurably,
} from "./durable-files.ts";

// Not imported, because an import statement also runs the getters of the module, which load much of
// Node.
const nodeFs = process.getBuiltinModule("node:fs");

/** The time that a list reads before it lets the process do other work. */
const sliceMs = 5;
/**
 * How often an entry is read before it counts as damaged: more often than others replace it at the
 * same time.
 */
const mostReads = 10;

/**
 * A store in a directory: `<2 hex digits>/<entry id>/<revision>.<life>.json`. The highest revision
 * is the entry.
 *
 * Nothing is locked, so that a process may be killed anywhere. Each step is one atomic operation of
 * the file system that fails if another process came first: rename(2) puts the directory of a first
 * revision in place of none or an empty one. link(2) takes the name of a later revision, and
 * forgetting takes the next one, too. Names stay until the entry is forgotten, and no two lives
 * share one: if a process was paused in the meantime, its write into another life is ignored.
 */
export class FileStore implements GenerationStore {
  readonly #directory: string;
  readonly #synced = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(entry: GenerationEntry): Promise<WriteResult> {
    const { id, revision, attempt } = entry;
    if (!isId(id))
      throw new RangeError(`an entry's id begins with two hexadecimal digits, and ${id} does not`);
    const text = JSON.stringify(entry);
    const { life, entry: last } = await this.#read(id);
    const write = () =>
      life && last ? this.#append(id, life, revision, text) : this.#create(id, text);
    if (mayFollow(entry, last) && (await write())) return { written: true };
    const stored = await this.#read(id);
    // Its write may have failed before it was durable, and its writer now assumes that it is
    // written.
    if (stored.entry?.attempt === attempt) {
      const directory = this.#directoryOf(id);
      await sync(`${directory}/${stored.entry.revision}.${stored.life}`, "r+");
      for (const path of [directory, dirname(directory), this.#directory]) await sync(path);
    }
    return { written: false, current: stored.entry };
  }

  async get(id: string): Promise<GenerationEntry | undefined> {
    return (await this.#read(id)).entry;
  }

  async *list({
    states,
  }: ListFilter): AsyncGenerator<GenerationEntry | UnreadableEntry, void, undefined> {
    for await (const id of this.#ids()) {
      const entry = await this.get(id).catch((error: unknown) => ({
        id,
        unreadable: String(error),
      }));
      if (entry && ("unreadable" in entry || states.includes(entry.state))) yield entry;
    }
  }

  async forget(options: ForgetOptions = {}): Promise<number> {
    let forgotten = 0;
    for await (const id of this.#ids()) {
      const stored = await this.#read(id).catch(() => undefined); // One that cannot be read stays.
      if (!stored || (stored.entry && !mayForget(stored.entry, options))) continue;
      const { names, life, entry } = stored;
      const end = entry && entry.revision + 1;
      // The last revision of an entry that is forgotten has no content.
      if (life && end && !(await this.#append(id, life, end, "null"))) continue;
      await clear(this.#directoryOf(id), end ? [...names, `${end}.${life}`] : names);
      if (entry) forgotten++;
    }
    await removeParts(this.#directory);
    return forgotten;
  }

  /** Reads an entry, again if it is being replaced or forgotten. */
  async #read(id: string): Promise<ReturnType<typeof read>> {
    if (!isId(id)) return { names: [] };
    for (let reads = 1; ; reads++) {
      try {
        return read(this.#directoryOf(id));
      } catch (error) {
        await setImmediate();
        const mayPass = error instanceof SyntaxError || codeOf(error) === "ENOENT";
        if (!mayPass || reads === mostReads) throw error;
      }
    }
  }

  /** Stores a first revision. Returns false if there is an entry by now. */
  async #create(id: string, text: string): Promise<boolean> {
    const directory = this.#directoryOf(id);
    const shard = dirname(directory);
    await makeDurably(shard);
    const part = newPart(this.#directory);
    try {
      await fs.mkdir(part, { mode: 0o700 });
      await writeDurably(join(part, `1.${crypto.randomUUID()}.json`), text, 0o600);
      await sync(part);
      for (let tries = 1; ; tries++) {
        const { names, entry } = await this.#read(id);
        if (entry) return false;
        // Of a life that is over: somebody was killed while he forgot it.
        await clear(directory, names);
        const error: unknown = await fs.rename(part, directory).catch((reason: unknown) => reason);
        if (error === undefined) break;
        if (tries === 3) throw error;
      }
    } finally {
      await fs.rm(part, { recursive: true, force: true });
    }
    await sync(shard);
    // The process that made the directory above may have been killed before it synced it.
    if (!this.#synced.has(shard)) await sync(this.#directory).then(() => this.#synced.add(shard));
    return true;
  }

  /**
   * Stores a further revision of a life, atomically. Returns false if its name is taken, or the
   * life is over.
   */
  async #append(id: string, life: string, revision: number, text: string): Promise<boolean> {
    const directory = this.#directoryOf(id);
    const pathOf = (one: number) => join(directory, `${one}.${life}`);
    const part = newPart(this.#directory);
    const path = pathOf(revision);
    try {
      await writeDurably(part, text, 0o600);
      if (!(await publish(part, path))) return false;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    } finally {
      await fs.unlink(part).catch(() => undefined); // What is left is removed later.
    }
    await sync(directory);
    const isAlive = nodeFs.existsSync(pathOf(1));
    // An old revision only keeps its name: a writer that was paused must find it taken.
    if (isAlive) await fs.truncate(pathOf(revision - 1)).catch(() => undefined);
    else await fs.rm(path, { force: true });
    return isAlive;
  }

  /** Yields the ids of all entries, in slices: between them the process does other work. */
  async *#ids(): AsyncGenerator<string, void, undefined> {
    let end = performance.now() + sliceMs;
    for (const shard of namesIn(this.#directory)) {
      if (!/^[\da-f]{2}$/.test(shard)) continue;
      for (const id of namesIn(join(this.#directory, shard))) {
        if (isId(id)) yield id;
        if (performance.now() < end) continue;
        await setImmediate();
        end = performance.now() + sliceMs;
      }
    }
  }

  #directoryOf(id: string): string {
    return `${this.#directory}/${id.slice(0, 2)}/${id}`;
  }
}

/** Returns whether it may be an entry's id. Anything else could be a path out of the directory. */
function isId(id: string): boolean {
  return /^[\da-f]{2}[\w-]*$/.test(id);
}

/**
 * Reads an entry's directory, synchronously: waiting for each file takes several times as long.
 * Throws if it is damaged or changing.
 */
function read(directory: string) {
  const names = namesIn(directory);
  const life = names.find((name) => /^1\.[\w-]+\.json$/.test(name))?.slice(2);
  if (life === undefined) return { names };
  const revisions = names
    .filter((name) => name.endsWith(`.${life}`))
    .map((name) => Number.parseInt(name, 10) || 0);
  const text = nodeFs.readFileSync(`${directory}/${Math.max(...revisions)}.${life}`, "utf8");
  // The cast: the version is checked where entries are read.
  return { names, life, entry: (JSON.parse(text) as GenerationEntry | null) ?? undefined };
}

/**
 * Removes the names of a life, the first revision first: without it, the life is over. Others stay:
 * the entry may exist again.
 */
async function clear(directory: string, names: readonly string[]): Promise<void> {
  const first = names.filter((name) => name.startsWith("1."));
  for (const name of [...first, ...names]) await fs.rm(join(directory, name), { force: true });
  await fs.rmdir(directory).catch(() => undefined); // Fails unless it is empty.
}
