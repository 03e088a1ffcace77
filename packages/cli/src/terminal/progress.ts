import { clockText, onOneLine } from "./text.ts";

/** Prints the progress of a command on stderr. */
export interface Progress {
  /** Shows what happens now: on a terminal in the live line, in a pipe as a line. */
  now(text: string): void;
  /** Prints a line that stays, with the time that has passed. */
  note(text: string): void;
  /** Prints a line on what to do next, and commands on lines of their own. */
  hint(text: string, ...commands: readonly string[]): void;
  /** Prints the same as a hint, with `--quiet` too. */
  warn(text: string, ...commands: readonly string[]): void;
  /** Removes the live line. */
  end(): void;
}

/** Creates the progress that stderr can show. */
export function createProgress({
  quiet = false,
}: {
  readonly quiet?: boolean | undefined;
}): Progress {
  if (quiet) return { now: nothing, note: nothing, hint: nothing, warn: print, end: nothing };
  return process.stderr.isTTY && process.env["TERM"] !== "dumb" ? liveProgress() : plainProgress();
}

const nothing = () => undefined;

/** Prints a line, and commands on lines of their own. */
function print(text: string, ...commands: readonly string[]): void {
  write(onOneLine(text), commands);
}

function write(line: string, commands: readonly string[]): void {
  process.stderr.write([line, ...commands.map((command) => `    ${command}`), ""].join("\n"));
}

/** Returns a clock that starts now. */
function startClock(): () => string {
  // `performance` takes a millisecond to load.
  const begin = process.uptime();
  return () => clockText((process.uptime() - begin) * 1_000);
}

/** Prints a line for each change. */
function plainProgress(): Progress {
  const elapsed = startClock();
  let last = "";
  const note = (text: string) => {
    if (text === last) return;
    last = text;
    write(`${elapsed()} ${onOneLine(text)}`, []);
  };
  return { now: note, note, hint: print, warn: print, end: nothing };
}

const redrawMs = 200;

/** Redraws a live line below those that stay. */
function liveProgress(): Progress {
  const { stderr } = process;
  const elapsed = startClock();
  const timed = (text: string) => `${elapsed()} ${text}`;
  // A line as wide as the terminal would wrap, and a wrapped line cannot be overwritten.
  const fitted = (text: string) =>
    onOneLine(text).slice(0, Math.max(1, (stderr.columns || 80) - elapsed().length - 2));
  let live: { text: string; shown: string; readonly timer: NodeJS.Timeout } | undefined;
  const clear = () => {
    if (live?.shown) stderr.write("\r\x1b[K");
    if (live) live.shown = "";
  };
  const draw = () => {
    if (!live) return;
    const line = timed(fitted(live.text));
    if (line === live.shown) return;
    clear();
    stderr.write((live.shown = line));
  };
  const keep = (line: string, commands: readonly string[]) => {
    clear();
    write(line, commands);
    draw();
  };
  return {
    now(text) {
      if (live) live.text = text;
      else live = { text, shown: "", timer: setInterval(draw, redrawMs).unref() };
      draw();
    },
    note: (text) => keep(timed(onOneLine(text)), []),
    hint: (text, ...commands) => keep(onOneLine(text), commands),
    warn: (text, ...commands) => keep(onOneLine(text), commands),
    end() {
      clear();
      clearInterval(live?.timer);
      live = undefined;
    },
  };
}
