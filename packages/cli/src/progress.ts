import { clockText } from "./duration.ts";
import { onOneLine } from "./printable.ts";

/** Tells on stderr how far the command has come. */
export interface Progress {
  /** What goes on now: the line that lives on a terminal, a line of its own elsewhere. */
  now(text: string): void;
  /** A line that stays. */
  note(text: string): void;
  /** A line that stays, in quiet too: it must not be missed. */
  warn(text: string): void;
  /** Takes the live line away. */
  end(): void;
}

const redrawMs = 200;

/** Progress as stderr can show it. */
export function createProgress({ quiet = false }: { readonly quiet?: boolean | undefined }): Progress {
  const { stderr } = process;
  const begin = performance.now();
  const elapsed = () => clockText(performance.now() - begin);
  const warn = (text: string) => void stderr.write(`${onOneLine(text)}\n`);
  if (quiet) return { now: () => undefined, note: () => undefined, warn, end: () => undefined };
  if (!stderr.isTTY || process.env["TERM"] === "dumb") {
    let last = "";
    const write = (text: string) => void (text !== last && stderr.write(`${elapsed()} ${onOneLine((last = text))}\n`));
    return { now: write, note: write, warn, end: () => undefined };
  }
  const [dim, plain] = stderr.hasColors() ? ["\x1b[2m", "\x1b[0m"] : ["", ""];
  const timed = (text: string) => `${dim}${elapsed()}${plain} ${text}`;
  // A line as long as the terminal is wide would wrap, and a wrapped line cannot be written over.
  const fitted = (text: string) => onOneLine(text).slice(0, Math.max(1, (stderr.columns || 80) - elapsed().length - 2));
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
  return {
    now(text) {
      if (live) live.text = text;
      else live = { text, shown: "", timer: setInterval(draw, redrawMs).unref() };
      draw();
    },
    note(text) {
      clear();
      stderr.write(`${timed(onOneLine(text))}\n`);
      draw();
    },
    warn(text) {
      clear();
      warn(text);
      draw();
    },
    end() {
      clear();
      clearInterval(live?.timer);
      live = undefined;
    },
  };
}
