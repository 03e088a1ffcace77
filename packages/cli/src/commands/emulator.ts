/**
 * `mediagen emulator`: runs the command of that package in this process, with the remaining
 * arguments.
 */
export async function run(): Promise<void> {
  process.argv.splice(2, 1);
  await import("@mediagen/emulator/command");
}
