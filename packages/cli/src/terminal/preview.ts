import { readFile } from "node:fs/promises";
import type { Download } from "@mediagen/sdk/node";

/** The protocol by which a terminal shows pictures. */
type Protocol = "kitty" | "iterm";

/** The largest picture that is written to a terminal, in bytes. */
const largest = 32 * 1024 * 1024;
/** The most characters that kitty accepts in one piece. */
const pieceLength = 4096;

/** Shows a picture on stderr, or prints why it cannot be shown. */
export async function preview({ path, type, bytes }: Download): Promise<void> {
  const { stderr } = process;
  const protocol = stderr.isTTY ? protocolOf(process.env) : undefined;
  const shown =
    protocol !== undefined &&
    bytes <= largest &&
    (protocol === "iterm" ? type?.startsWith("image/") : type === "image/png");
  if (!shown)
    return void stderr.write(
      `no preview of ${path}: ${protocol === undefined ? "this terminal is not known to show pictures" : `it does not show ${type ?? "such files"}`}\n`,
    );
  const data = (await readFile(path)).toString("base64");
  stderr.write(`${protocol === "iterm" ? iterm(data, bytes) : kitty(data)}\n`);
}

function protocolOf({
  TERM = "",
  TERM_PROGRAM = "",
  KITTY_WINDOW_ID,
  LC_TERMINAL,
  TMUX,
}: NodeJS.ProcessEnv): Protocol | undefined {
  // A multiplexer does not pass such sequences on.
  if (TMUX) return undefined;
  if (KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || TERM_PROGRAM === "ghostty") return "kitty";
  return /^(iTerm\.app|WezTerm)$/.test(TERM_PROGRAM) || LC_TERMINAL === "iTerm2" ? "iterm" : undefined;
}

function iterm(data: string, size: number): string {
  return `\x1b]1337;File=inline=1;size=${size};height=12:${data}\x07`;
}

function kitty(data: string): string {
  const pieces = data.match(new RegExp(`.{1,${pieceLength}}`, "g")) ?? [];
  return pieces
    .map(
      (piece, index) =>
        `\x1b_G${index === 0 ? "a=T,f=100,r=12," : ""}m=${index < pieces.length - 1 ? 1 : 0};${piece}\x1b\\`,
    )
    .join("");
}
