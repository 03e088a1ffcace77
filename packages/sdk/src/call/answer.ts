import type { Answer } from "../errors/errors.ts";
import type { Arriving } from "../transport/transport.ts";
import { type Hide, hideIn } from "./hide-key.ts";

/** No answer of the service needs more; what sends more is something else. */
const longestAnswer = 1024 * 1024;

/**
 * Reads an answer whole, up to a limit, and hides the key where the service repeats it; `onPiece` is told of each piece,
 * so that a stalled body can be noticed.
 */
export async function readAnswer(arriving: Arriving, onPiece: () => void, now: number, hide: Hide): Promise<Answer> {
  const { status } = arriving;
  const retryAfterMs = readRetryAfter(arriving.header("retry-after"), now);
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  await arriving.read((bytes) => {
    onPiece();
    length += bytes.byteLength;
    if (length > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
    text += decoder.decode(bytes, { stream: true });
  });
  text += decoder.decode();
  const shown = hide(text);
  const json = parse(text);
  return { status, text: shown, json: shown === text ? json : hideIn(json, hide), retryAfterMs };
}

/** Deeper than any answer of the service: whoever walks through it must come to an end. */
const deepest = 64;

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isDeeper(json, deepest) ? undefined : json;
  } catch {
    return undefined; // HTML, cut JSON, nothing: no JSON, which every reader of an answer handles.
  }
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1));
}

/** A Retry-After header, in seconds or as a date, in milliseconds from now. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  // Date.parse takes "-1" for a year; an HTTP date begins with a weekday.
  const date = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : date - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
