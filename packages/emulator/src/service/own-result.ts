import type { EmulatorTask } from "./task.ts";

/** A file that replaces a result. */
export interface OwnResult {
  /** The extension in the URL, without a dot. */
  readonly extension: string;
  /** The media type. */
  readonly type: string;
  /**
   * Reads the file.
   *
   * @returns Its bytes.
   * @example const bytes = await result.bytes();
   */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Returns the file that replaces a result of a task. Undefined if the emulator makes the result.
 *
 * @param number The number of the result, from 1.
 */
export type ResultSource = (task: EmulatorTask, number: number) => OwnResult | undefined;
