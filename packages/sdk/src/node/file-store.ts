import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  constants,
  copyFile,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  truncate,
  unlink,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  type ForgetOptions,
  type GenerationStore,
  type ListFilter,
  mayFollow,
  mayForget,
  type WriteResult,
} from "../store/store.ts";
import type { GenerationRecord, UnreadableRecord } from "../task/generation.ts";
import { makeDurably, namesIn, syncDirectory, syncFile, writeDurably } from "./durable-files.ts";
import { codeOf, isLinkUnsupported } from "./error-code.ts";
import { isId, nameOf, readAtOnce, readName, type Stored, type Top, topIn } from "./record-files.ts";

/**
 * A store in a directory: `<2 hex digits>/<record id>/<revision>.<life>.json`. The highest revision is the record.
 *
 * Nothing is locked, so that a process may be killed anywhere. Each step is one atomic operation of the file system that fails if another
 * process came first: rename(2) puts the directory of a first revision in place of none or an empty one. link(2) takes the name of a later
 * revision, and forgetting takes the next one, too. Names stay until the record is forgotten, and no two lives share one: if a process
 * was paused in the meantime, its write into another life is ignored.
 */
export class FileStore implements GenerationStore {
  readonly #directory: string;
  /** The directories of records whose own names are known to outlive a power failure. There are at most 256. */
  readonly #synced = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(record: GenerationRecord): Promise<WriteResult> {
    const { id, revision } = record;
    if (!isId(id)) throw new RangeError(`a record's id begins with two hexadecimal digits, and ${id} does not`);
    const text = JSON.stringify(record);
    const directory = this.#directoryOf(id);
    const stored = await this.#read(id);
    const { top } = stored;
    let isWritten = false;
    if (mayFollow(record, stored.record)) {
      const isFirst = !stored.record || !top;
      isWritten = await (isFirst
        ? this.#create(id, text, stored)
        : this.#append(directory, { ...top, revision }, text));
    }
    if (isWritten) return { written: true };
    const { top: current, record: found } = await this.#read(id);
    // Its write may have failed before it was durable, and its writer now assumes that it is written.
    if (current && found?.attempt === record.attempt) await this.#sync(directory, current);
    return { written: false, current: found };
  }

  async get(id: string): Promise<GenerationRecord | undefined> {
    return (await this.#read(id)).record;
  }

  async *list({ states }: ListFilter): AsyncGenerator<GenerationRecord | UnreadableRecord, void, undefined> {
    for await (const id of this.#ids()) {
      const stored = readAtOnce(this.#directoryOf(id));
      const record = stored
        ? stored.record
        : await this.get(id).catch((error: unknown) => ({ id, unreadable: String(error) }));
      if (record && ("unreadable" in record || states.includes(record.state))) yield record;
    }
  }

  async forget(options: ForgetOptions = {}): Promise<number> {
    let forgotten = 0;
    for await (const id of this.#ids()) {
      const directory = this.#directoryOf(id);
      const stored = readAtOnce(directory) ?? (await this.#read(id).catch(() => undefined)); // One that cannot be read stays.
      if (!stored || (stored.record && !mayForget(stored.record, options))) continue;
      const { names, top, record } = stored;
      const end = top && { ...top, revision: top.revision + 1 };
      if (record && end && !(await this.#append(directory, end, forgottenText))) continue;
      await clear(directory, end ? [...names, nameOf(end)] : names);
      if (record) forgotten++;
    }
    await this.#removeParts();
    return forgotten;
  }

  async #read(id: string): Promise<Stored> {
    if (!isId(id)) return { names: [], top: undefined, record: undefined };
    const directory = this.#directoryOf(id);
    const stored = readAtOnce(directory);
    if (stored) return stored;
    for (let last = ""; ;) {
      const names = await namesIn(directory);
      const top = topIn(names);
      if (!top) return { names, top, record: undefined };
      const path = join(directory, nameOf(top));
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw error;
        return "";
      });
      // The cast: the version is checked where records are read.
      if (text !== "") return { names, top, record: (JSON.parse(text) as GenerationRecord | null) ?? undefined };
      // It was replaced or forgotten since the directory was read.
      if (path === last) throw new Error(`${path} is empty`);
      last = path;
    }
  }

  async #sync(directory: string, top: Top): Promise<void> {
    await syncFile(join(directory, nameOf(top)));
    for (const path of [directory, dirname(directory), this.#directory]) await syncDirectory(path);
  }

  /** Stores a first revision. Returns false if there is a record by now. */
  async #create(id: string, text: string, before: Stored): Promise<boolean> {
    const directory = this.#directoryOf(id);
    const shard = dirname(directory);
    let stored = before;
    let isPlaced = false;
    await makeDurably(shard);
    const part = this.#newPart();
    try {
      await mkdir(part, { mode: 0o700 });
      await writeDurably(join(part, nameOf({ life: randomUUID(), revision: 1 })), text);
      await syncDirectory(part);
      for (let attempt = 1; ; attempt++) {
        await clear(directory, stored.names); // Of a life that is over: somebody was killed while he forgot it.
        const error: unknown = await rename(part, directory).catch((reason: unknown) => reason);
        isPlaced = error === undefined;
        if (isPlaced) break;
        stored = await this.#read(id);
        if (stored.record) return false;
        if (attempt === 3) throw error;
      }
    } finally {
      if (!isPlaced) await rm(part, { recursive: true, force: true });
    }
    await syncDirectory(shard);
    // The process that made the directory above may have been killed before it synced it.
    if (!this.#synced.has(shard)) await syncDirectory(this.#directory);
    this.#synced.add(shard);
    return true;
  }

  /** Stores a further revision of a life. Returns false if that is taken, or the life is over. */
  async #append(directory: string, { life, revision }: Top, text: string): Promise<boolean> {
    const path = join(directory, nameOf({ life, revision }));
    if (!(await this.#take(path, text))) return false;
    await syncDirectory(directory);
    const isAlive = existsSync(join(directory, nameOf({ life, revision: 1 })));
    // An old revision only keeps its name: a writer that was paused must find it taken.
    if (isAlive) await truncate(join(directory, nameOf({ life, revision: revision - 1 }))).catch(() => undefined);
    else await rm(path, { force: true });
    return isAlive;
  }

  /** Writes a complete file under a new name, atomically. Returns false if the name is taken or its directory is gone. */
  async #take(path: string, text: string): Promise<boolean> {
    const part = this.#newPart();
    try {
      await writeDurably(part, text);
      await link(part, path).catch(async (error: unknown) => {
        if (!isLinkUnsupported(error)) throw error;
        await copyFile(part, path, constants.COPYFILE_EXCL);
        await syncFile(path);
      });
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") return false;
      throw error;
    } finally {
      await unlink(part).catch(() => undefined); // What is left is removed later.
    }
  }

  /** Removes the part files that killed processes have left. */
  async #removeParts(): Promise<void> {
    for (const name of await namesIn(this.#directory)) {
      const path = join(this.#directory, name);
      const found = name.endsWith(partEnd) && (await stat(path).catch(() => undefined));
      if (found && Date.now() - found.mtimeMs > partKeptMs) await rm(path, { recursive: true, force: true });
    }
  }

  /** Yields the ids of all records, in slices: between them the process does other work. */
  async *#ids(): AsyncGenerator<string, void, undefined> {
    for (const shard of await namesIn(this.#directory)) {
      if (!/^[\da-f]{2}$/.test(shard)) continue;
      const names = await namesIn(join(this.#directory, shard));
      let end = performance.now() + sliceMs;
      for (const id of names) {
        if (isId(id)) yield id;
        if (performance.now() < end) continue;
        await setImmediate();
        end = performance.now() + sliceMs;
      }
    }
  }

  #newPart(): string {
    return join(this.#directory, `.${randomUUID()}${partEnd}`);
  }

  #directoryOf(id: string): string {
    return `${this.#directory}/${id.slice(0, 2)}/${id}`;
  }
}

/** The content of the last revision of a record that is forgotten. */
const forgottenText = "null";
const partEnd = ".part";
const partKeptMs = 3_600_000;
/** The time that a list reads before it lets the process do other work. */
const sliceMs = 5;

/**
 * Removes the names of a life, the first revision first: without it, the life is over. Other names in the directory stay, because
 * another process may have created the record again.
 */
async function clear(directory: string, names: readonly string[]): Promise<void> {
  const first = names.filter((name) => readName(name)?.revision === 1);
  for (const name of [...first, ...names]) await rm(join(directory, name), { force: true });
  await rmdir(directory).catch(() => undefined); // Fails unless it is empty.
}
