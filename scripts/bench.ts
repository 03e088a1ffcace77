import { benchEmulator } from "../test/bench/emulator.ts";

/** Measures beside the peers and prints the tables. */
export default async function run(): Promise<void> {
  console.log(`## The emulator beside Prism\n\n${await benchEmulator()}`);
}
