import dns from "node:dns";
import { afterAll, beforeAll } from "vitest";

/**
 * The addresses that a name leads to in tests, which may be none: every other name leads to this
 * machine.
 */
export const addresses: Map<string, string | readonly string[]> = new Map();

/**
 * Lets every name lead to this machine, or to its address in `addresses`, while the tests of a file
 * run.
 */
export function leadNamesHere(): void {
  const { lookup } = dns;
  const here = ((
    name: string,
    options: dns.LookupOptions,
    callback: (...found: unknown[]) => void,
  ) => {
    const found = [addresses.get(name) ?? "127.0.0.1"].flat();
    const all = found.map((address) => ({ address, family: 4 }));
    if (found.length === 0) callback(new Error("ENOTFOUND"));
    else if (options.all) callback(null, all);
    else callback(null, found[0], 4);
  }) as unknown as typeof lookup; // The cast: the SDK and Node call it in this one of its forms.
  beforeAll(() => void (dns.lookup = here));
  afterAll(() => void (dns.lookup = lookup));
}
