import { benchEmulator } from "../test/bench/emulator.ts";
import { benchWaiting } from "../test/bench/waiting.ts";

const benches: Readonly<Record<string, { readonly title: string; readonly bench: () => Promise<string> }>> = {
  emulator: { title: "The emulator beside Prism", bench: benchEmulator },
  waiting: { title: "Waiting", bench: benchWaiting },
};

/** Measures beside the peers and prints the tables: of the names given, or all. */
export default async function run(names: readonly string[]): Promise<void> {
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const found = benches[name];
    if (!found) throw new TypeError(`bench: there is no ${name}; there are ${Object.keys(benches).join(" and ")}`);
    console.log(`## ${found.title}\n\n${await found.bench()}`);
  }
}
