import { asciiOf } from "../media/ascii.ts";
import { renderClip } from "../media/clip.ts";
import { hash } from "../media/hash.ts";
import { renderPicture } from "../media/png.ts";
import type { Operation } from "./operation.ts";
import { usualLimits } from "./settings.ts";
import type { EmulatorResponse, EmulatorRequest } from "./exchange.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** The results of a task, decided when it is created. */
export interface ResultPlan {
  /** The number of results. */
  readonly count: number;
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
  /** Present if the results are videos. */
  readonly video?: {
    /** The length in seconds. */
    readonly seconds: number;
    /** Frames per second. */
    readonly fps: number;
    /** Whether the video has sound. */
    readonly audio: boolean;
  };
}

/** A size in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The form fields that determine the size. */
export const sizeFields: readonly string[] = ["resolution", "ratio"];

/** Returns the size in a form's resolution, such as `1024x768` or `1024*768`. */
function explicitSize(resolution: unknown): Size | undefined {
  const [, width, height] = /^([1-9]\d*)[x*]([1-9]\d*)$/.exec(String(resolution)) ?? [];
  return width && height ? { width: Number(width), height: Number(height) } : undefined;
}

/** Limits on the results of one task, because a form may have no bounds. */
const most = { count: 100, fps: 240, seconds: 3_600 };

/** Returns whether a value is a plan that can be rendered. */
export function isResultPlan(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { count = 0, width = 0, height = 0, video } = value as Partial<ResultPlan>;
  const isSize = [width, height].every(
    (side) => Number.isInteger(side) && side >= 1 && (!video || side % 2 === 0),
  );
  if (
    !isSize ||
    width * height > usualLimits.pixels ||
    !Number.isInteger(count) ||
    !within(count, most.count)
  )
    return false;
  return (
    video === undefined || (within(video?.seconds, most.seconds) && within(video?.fps, most.fps))
  );
}

function within(value: unknown, limit: number): boolean {
  return typeof value === "number" && value > 0 && value <= limit;
}

/**
 * Returns the results that a form requests. Missing fields have the default of the document, or
 * else a usual value. The ratio `adaptive` is that of the source picture.
 */
export function planResults(
  { kind, fields: form }: Operation,
  fields: Readonly<Record<string, unknown>>,
  shape?: number,
): ResultPlan {
  const field = (name: string) => fields[name] ?? form[name]?.default;
  const counting = Object.keys(form).find((name) => form[name]?.isCount);
  const asked = counting === undefined ? 1 : Number(field(counting) ?? 1);
  const count = Math.min(Math.max(Math.trunc(asked) || 1, 1), most.count);
  const ratio = field("ratio") === "adaptive" ? shape : ratioOf(field("ratio"));
  const resolution = field("resolution");
  if (kind !== "video") return { count, ...imageSize(resolution) };
  const side = Number(/^(\d+)p$/.exec(String(resolution))?.[1] ?? 720);
  const video = {
    seconds: Math.min(positive(field("duration"), 5), most.seconds),
    fps: Math.min(positive(field("fps"), 24), most.fps),
    audio: field("generate_audio") === "1",
  };
  return { count, ...fit(ratio ?? 16 / 9, side), video };
}

function imageSize(resolution: unknown): Size {
  const explicit = explicitSize(resolution);
  if (explicit) return explicit;
  const level = /^([1-9]\d*)K$/.exec(String(resolution))?.[1];
  const longer = level ? Number(level) * 1024 : 1024;
  const ratio = ratioOf(resolution) ?? 1;
  const [width, height] = ratio >= 1 ? [longer, longer / ratio] : [longer * ratio, longer];
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

function ratioOf(text: unknown): number | undefined {
  const [, width, height] = /^(\d+):(\d+)$/.exec(String(text)) ?? [];
  const ratio = Number(width) / Number(height);
  return ratio > 0 && Number.isFinite(ratio) ? ratio : undefined;
}

/** Returns the size with this ratio and shorter side; both sides are even, as video requires. */
function fit(ratio: number, shorter: number): Size {
  const even = (length: number) => Math.max(2, 2 * Math.round(length / 2));
  return ratio >= 1
    ? { width: even(shorter * ratio), height: even(shorter) }
    : { width: even(shorter), height: even(shorter / ratio) };
}

function positive(value: unknown, fallback: number): number {
  const number = Number(value);
  return number > 0 && Number.isFinite(number) ? number : fallback;
}

/** One result's bytes and media type. */
export interface ResultFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Returns the file format of a plan's results. */
export function formatOf({ video }: ResultPlan): {
  readonly extension: string;
  readonly type: string;
} {
  return video ? { extension: "mp4", type: "video/mp4" } : { extension: "png", type: "image/png" };
}

/** The part of a task that its results depend on. */
interface Subject {
  readonly taskid: string;
  readonly model: string;
  readonly prompt: string;
  readonly seed: number;
  readonly plan: ResultPlan;
  readonly files: readonly UploadedFile[];
}

/**
 * Returns a name for the content of a task's results. The id is not enough, because it can repeat
 * after a reset with another prompt.
 */
export function fingerprint({ taskid, model, prompt, seed, plan, files }: Subject): string {
  return hash(JSON.stringify([taskid, model, prompt, seed, plan, files]))
    .toString(16)
    .padStart(8, "0");
}

/** Renders a result. The same task and number give the same bytes on every machine. */
export async function renderResult(task: Subject, number: number): Promise<ResultFile> {
  const { taskid, model, prompt, plan, files } = task;
  const { width, height, video, count } = plan;
  const note = `${taskid}${count > 1 ? ` ${number}/${count}` : ""} seed ${task.seed}${files.map(textOf).join("")}`;
  const text = { title: model, body: await asciiOf(prompt), note: await asciiOf(note) };
  const options = { width, height, seed: `${task.seed}/${number}`, text, description: prompt };
  const bytes = video ? renderClip({ ...options, ...video }) : renderPicture(options);
  return { bytes, type: formatOf(plan).type };
}

/** Returns an uploaded file as a card shows it. */
function textOf({ name, hash, width, height }: UploadedFile): string {
  return `, from ${name} ${width && height ? `${width}x${height} ` : ""}${hash}`;
}

/**
 * Returns the response to a GET or HEAD of a file, complete or a single range of it (RFC 9110, 14).
 */
export function serveFile(
  request: Pick<EmulatorRequest, "method" | "header">,
  { bytes, type }: ResultFile,
  etag: string,
): EmulatorResponse {
  const headers = {
    "content-type": type,
    etag,
    "accept-ranges": "bytes",
    "cache-control": "no-cache",
  };
  const known = request
    .header("if-none-match")
    ?.split(",")
    .map((one) => one.trim().replace("W/", ""));
  if (known?.some((one) => one === etag || one === "*"))
    return { status: 304, headers, body: null };
  const size = bytes.byteLength;
  const range = request.method === "GET" ? readRange(request, size, etag) : undefined;
  if (range === "unsatisfiable")
    return { status: 416, headers: { ...headers, "content-range": `bytes */${size}` }, body: null };
  const [first, last] = range ?? [0, size - 1];
  return {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-length": String(last - first + 1),
      ...(range ? { "content-range": `bytes ${first}-${last}/${size}` } : {}),
    },
    body: request.method === "HEAD" ? null : bytes.subarray(first, last + 1),
  };
}

function readRange(
  request: Pick<EmulatorRequest, "header">,
  size: number,
  etag: string,
): readonly [number, number] | "unsatisfiable" | undefined {
  const condition = request.header("if-range");
  if (condition !== null && condition !== etag) return undefined;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.header("range") ?? "") ?? [];
  if (first === undefined || (first === "" && last === "")) return undefined;
  if (first === "")
    return Number(last) === 0 ? "unsatisfiable" : [Math.max(0, size - Number(last)), size - 1];
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (Number(first) >= size) return "unsatisfiable";
  return Number(first) > end ? undefined : [Number(first), end];
}
