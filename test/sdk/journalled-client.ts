import {
  createJournal,
  createMediaGen,
  type JournalEntry,
  type JournalLog,
  type MediaGenEvent,
  type MediaGenOptions,
} from "@mediagen/sdk";

/** A log in memory, as several processes would share it: entries go in and come out as JSON. */
export function createLog() {
  const lines: string[] = [];
  let broken: ((entry: JournalEntry) => boolean) | undefined;
  const log: JournalLog = {
    async append(entry) {
      if (broken?.(entry)) throw new RangeError("the disk is full");
      lines.push(JSON.stringify(entry));
    },
    entries: async () => lines.map((line) => JSON.parse(line) as JournalEntry),
  };
  return {
    ...log,
    /** Makes appending fail where this says so. */
    breakFor: (when: typeof broken) => void (broken = when),
    types: () => lines.map((line) => (JSON.parse(line) as JournalEntry).type),
    text: () => lines.join("\n"),
  };
}

export type Log = ReturnType<typeof createLog>;

let clients = 0;

/** A client with a journal in the log, on a clock of its own that sleeping moves on; each reply answers one request, the last all others. */
export function journalledClient(
  log: JournalLog,
  replies: readonly (() => Response | Promise<Response>)[] = [],
  options: MediaGenOptions = {},
) {
  let now = 1_800_000_000_000;
  let sent = 0;
  const client = ++clients;
  const events: MediaGenEvent[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    apiKey: "sk-canary",
    retries: 0,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
        // Deadlines do not pass here; pauses take a turn of the event loop.
        if (ms <= 20_000) setImmediate(() => ((now += ms), resolve()));
      }),
    fetch: async () => {
      const reply = replies[Math.min(sent++, replies.length - 1)];
      return reply
        ? reply()
        : Response.json({
            code: 1000,
            msg: "",
            data: { taskid: `t-${client}-${sent}`, url: ["http://localhost/1.png"] },
          });
    },
    journal: createJournal(log),
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const generate = (once?: string, prompt = "A fox") => media.image.generate("imgmodelz", { prompt }, { once });
  return {
    media,
    generate,
    events,
    sent: () => sent,
    errorOf: (call: Promise<unknown>) => call.catch((error: unknown) => error),
    now: () => now,
  };
}

export const refusal = (): Response => Response.json({ code: 9999, msg: "no" });
export const lost = (): Response => new Response("", { status: 500 });
export const forever = (): Promise<Response> => new Promise(() => undefined);
