/** The settings of the fleet's programs. */
export interface Settings {
  /** The queue's server: a redis: URL for BullMQ, a postgres: URL for pg-boss. */
  readonly queueUrl: string;
  /** The number of generations sent per second: by all workers on BullMQ, by each worker on pg-boss. */
  readonly perSecond: number;
  /** The concurrency of a worker: of steps on BullMQ, of batches of each queue on pg-boss. */
  readonly concurrency: number;
  /** The directory for results, with one for each order in it. */
  readonly directory: string;
  /** The host and the port of health and metrics. */
  readonly host: string;
  readonly port: number;
  /** The time after which a generation without a response is of unknown outcome. */
  readonly generateTimeoutMs: number;
  readonly queryTimeoutMs: number;
  /** The time that generations in flight have left when the worker has to end. */
  readonly shutdownGraceMs: number;
  /** The time in which nothing is sent when the credits are out. */
  readonly creditsPauseMs: number;
  /** The time without a sign of life after which a worker counts as dead. */
  readonly deadAfterMs: number;
  /** Whether the service may have an http: URL on another machine: for the emulator, never for a real key. */
  readonly allowHttp: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from the environment. Prints everything that is wrong with them, and ends the process then. */
export function readSettings(environment: Environment = process.env): Settings {
  const wrong: string[] = [];
  const text = (name: string, otherwise: string) => environment[name]?.trim() || otherwise;
  const number = (name: string, otherwise: number, least: number, most: number) => {
    const value = Number(text(name, String(otherwise)));
    if (!(value >= least && value <= most))
      wrong.push(`${name} "${environment[name]}" is not valid. Use a number from ${least} to ${most}.`);
    return value;
  };
  const queueUrl = text("QUEUE_URL", "redis://127.0.0.1:6379");
  const onRedis = /^rediss?:\/\//.test(queueUrl);
  // Not the URL itself: it may hold a password.
  if (!onRedis && !/^postgres(ql)?:\/\//.test(queueUrl))
    wrong.push("QUEUE_URL is not valid. Use a URL that begins with redis://, rediss:// or postgres://.");
  const allowHttp = text("ALLOW_HTTP", "false");
  if (allowHttp !== "true" && allowHttp !== "false")
    wrong.push(`ALLOW_HTTP "${allowHttp}" is not valid. Use true or false.`);
  const settings = {
    queueUrl,
    perSecond: number("PER_SECOND", 12, 0.1, 10_000),
    concurrency: number("CONCURRENCY", onRedis ? 50 : 4, 1, 1_000),
    directory: text("RESULTS_DIRECTORY", "out"),
    host: text("HOST", "127.0.0.1"),
    port: number("PORT", 8080, 0, 65_535),
    generateTimeoutMs: number("GENERATE_TIMEOUT_MS", 60_000, 1_000, 600_000),
    queryTimeoutMs: number("QUERY_TIMEOUT_MS", 15_000, 1_000, 60_000),
    shutdownGraceMs: number("SHUTDOWN_GRACE_MS", 10_000, 0, 600_000),
    creditsPauseMs: number("CREDITS_PAUSE_MS", 60_000, 1_000, 3_600_000),
    deadAfterMs: number("DEAD_AFTER_MS", 30_000, 10_000, 600_000),
    allowHttp: allowHttp === "true",
  };
  if (wrong.length === 0) return settings;
  console.error(wrong.join("\n"));
  process.exit(2);
}
