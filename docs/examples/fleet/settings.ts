import { readFileSync } from "node:fs";
import { Rejection } from "./log.ts";

/** The settings of the fleet's programs. */
export type Settings = ReturnType<typeof readSettings>;
/**
 * Reads the settings from the environment. Throws everything that is wrong with
 * them at once.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const wrong: string[] = [];
  // Not the value of a URL: it may hold a password.
  const text = (name: string, otherwise: string, pattern = /^/, wanted = "") => {
    const value = environment[name]?.trim() || otherwise;
    if (!pattern.test(value) || (value.includes("://") && !URL.canParse(value)))
      wrong.push(`${name} is ${value ? "not valid" : "missing"}. Use ${wanted}.`);
    return value;
  };
  const number = (name: string, otherwise: number, least: number, most: number) => {
    const value = Number(text(name, String(otherwise)));
    const kind = least % 1 ? "number" : "whole number";
    if (
      !(value >= least && value <= most) ||
      (kind !== "number" && value % 1 !== 0)
    )
      wrong.push(
        `${name} "${environment[name]}" is not valid. Use a ${kind} from ${least} to ${most}.`,
      );
    return value;
  };
  // A key in a file may be replaced while workers run, as Kubernetes does with a
  // mounted secret.
  const keyFile = text("MEDIAGEN_API_KEY_FILE", "");
  const key = text(
    "MEDIAGEN_API_KEY",
    keyFile,
    /./,
    "the key of the service, or set MEDIAGEN_API_KEY_FILE",
  );
  if (keyFile) readFileSync(keyFile); // If that fails, the program ends.
  const settings = {
    baseUrl: text(
      "MEDIAGEN_BASE_URL",
      "",
      /^https?:\/\/./,
      "the URL of the service",
    ),
    apiKey: () => (keyFile ? readFileSync(keyFile, "utf8").trim() : key),
    databaseUrl: text(
      "DATABASE_URL",
      "",
      /^postgres(ql)?:\/\/(?!.*[?&]options=)/,
      "a postgres:// URL without options",
    ),
    redisUrl: text(
      "REDIS_URL",
      "",
      /^$|^rediss?:\/\/./,
      "a URL such as redis://host:6379",
    ),
    prefix: text(
      "PREFIX",
      "mediagen",
      /^(?!pg_)[a-z][a-z0-9_]{0,39}$/,
      'up to 40 lower-case letters, digits and "_"',
    ),
    allowVolatile:
      text("ALLOW_VOLATILE_STORE", "false", /^(false|true)$/, "false or true") ===
      "true",
    allowHttp:
      text("ALLOW_HTTP", "false", /^(false|true)$/, "false or true") === "true",
    results: text(
      "RESULTS",
      "out",
      /^(https?:|(?![\w+.-]+:\/\/))/,
      "a directory, or an http or https URL",
    ),
    perSecond: number("PER_SECOND", 12, 0.1, 10_000),
    concurrency: number("CONCURRENCY", 40, 1, 1_000),
    host: text("HOST", "127.0.0.1"),
    port: number("PORT", 8080, 0, 65_535),
    generateTimeoutMs: number("GENERATE_TIMEOUT_MS", 60_000, 1_000, 600_000),
    queryTimeoutMs: number("QUERY_TIMEOUT_MS", 15_000, 1_000, 60_000),
    shutdownGraceMs: number("SHUTDOWN_GRACE_MS", 60_000, 0, 600_000),
    pauseMs: number("PAUSE_MS", 30_000, 1_000, 3_600_000),
    deadAfterMs: number("DEAD_AFTER_MS", 30_000, 10_000, 600_000),
  };
  if (wrong.length > 0) throw new Rejection(wrong.join(" "));
  return settings;
}
