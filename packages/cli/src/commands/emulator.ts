/** `mediagen emulator`: runs the emulator's own command in this process, with the remaining arguments. */
export async function runEmulator(): Promise<void> {
  process.argv.splice(2, 1);
  await import("@mediagen/emulator/command");
}
