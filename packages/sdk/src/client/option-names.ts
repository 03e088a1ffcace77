import type { GenerateOptions } from "./media-gen.ts";
import type { MediaGenOptions } from "./options.ts";

/** The options that only connections on node:http have; the types of those are in `node`. */
type ConnectOption = "connectTimeoutMs" | "proxy" | "tls" | "lookup";

/** The name of an option of a client. */
export type OptionName = keyof MediaGenOptions | ConnectOption;

const ofClient: Readonly<Record<OptionName, true>> = {
  apiKey: true,
  baseUrl: true,
  headers: true,
  allowHttp: true,
  allowBrowser: true,
  fetch: true,
  fetchSendsOnce: true,
  connectTimeoutMs: true,
  proxy: true,
  tls: true,
  lookup: true,
  queryTimeoutMs: true,
  generateTimeoutMs: true,
  headersTimeoutMs: true,
  stallTimeoutMs: true,
  retries: true,
  resendGenerationAfter: true,
  maxGenerationsInFlight: true,
  maxTasksInFlight: true,
  budget: true,
  maxQueriesInFlight: true,
  statuses: true,
  classify: true,
  beforeGenerate: true,
  store: true,
  onEvent: true,
  logger: true,
  logLevel: true,
  now: true,
  sleep: true,
  random: true,
};
const ofGenerate: Readonly<Record<keyof GenerateOptions, true>> = {
  idempotencyKey: true,
  extraFields: true,
  unchecked: true,
  headers: true,
  signal: true,
};

/** The options of a client. Each entry point knows those of the other, so that programs can share them. */
export const clientOptionNames: readonly string[] = Object.keys(ofClient);
/** The options of `generate`. */
export const generateOptionNames: readonly string[] = Object.keys(ofGenerate);
