/** `mediagen emulator`: the emulator's own command, in this process and with the arguments that stand behind the word. */
export async function runEmulator(): Promise<void> {
  process.argv.splice(2, 1);
  await import("@mediagen/emulator/command");
}
