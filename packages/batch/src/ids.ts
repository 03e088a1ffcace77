import { createHash } from "node:crypto";
import { describeValue, issueOf } from "@mediagen/sdk/kit";
import { nothingSent } from "./issues.ts";

/** Ids are file names. These are safe on every file system. */
const pattern = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u;
/**
 * File names have at most 255 bytes. Those of unfinished downloads add a number and a UUID to the
 * id.
 */
const maxBytes = 200;

/** Unique ids for the lines of an input. */
export class Ids {
  readonly #lines = new Map<string, number>();
  readonly #copies = new Map<string, number>();

  /**
   * Returns the id of a line: its own, or a hash of its content. `content` is called only for the
   * hash. Throws if it is invalid.
   */
  async take(
    own: unknown,
    line: number,
    content: () => Promise<readonly string[]>,
  ): Promise<string> {
    const text = typeof own === "number" ? String(own) : own;
    const isOwn = text !== undefined && text !== "";
    if (
      isOwn &&
      !(typeof text === "string" && pattern.test(text) && Buffer.byteLength(text) <= maxBytes)
    ) {
      const advice = `Begin with a letter, digit or "_", and use up to 100 of these, "-" and "." (at most ${maxBytes} bytes).`;
      throw nothingSent(issueOf("id", "invalid", `${describeValue(own)} is not valid`, advice));
    }
    const id = isOwn ? text : this.#contentId(await content());
    // Some file systems do not distinguish upper and lower case.
    const before = this.#lines.get(id.toLowerCase());
    this.#lines.set(id.toLowerCase(), line);
    if (before === undefined) return id;
    const problem = `${describeValue(id)} is used twice`;
    throw nothingSent(issueOf("id", "invalid", problem, `Use another id than line ${before}.`));
  }

  /**
   * The same content has the same id, wherever it is in the input. A repeated line gets a number,
   * and is generated again.
   */
  #contentId(content: readonly string[]): string {
    const hash = createHash("sha256").update(content.join(" ")).digest("hex").slice(0, 16);
    const count = (this.#copies.get(hash) ?? 0) + 1;
    this.#copies.set(hash, count);
    return count === 1 ? hash : `${hash}.${count}`;
  }
}
