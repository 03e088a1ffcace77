import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "./issues.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Idempotency keys of the generations that runs with `retryFailed` make in place of failed ones. They are in a file until nothing is
 * left to do: if such a run is killed, stopped or limited and then run again, a line whose new task has failed as well is not
 * generated once more.
 */
export class Retries {
  readonly #path: string;
  readonly #keys: Set<string>;

  private constructor(path: string, keys: readonly string[]) {
    this.#path = path;
    this.#keys = new Set(keys);
  }

  static async read(folder: string): Promise<Retries> {
    const path = join(folder, ".retries");
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      return "";
    });
    return new Retries(path, text.split("\n"));
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  /** Writes the keys, before the first of them is sent. */
  async save(): Promise<void> {
    await replaceFile(this.#path, (file) => file.writeFile([...this.#keys].join("\n")));
  }

  async end(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
