import dns from "node:dns";
import { afterAll, beforeAll } from "vitest";

/** An address that a name leads to in tests: every other name leads to this machine. */
export const addresses: Map<string, string> = new Map();

/** Lets every name lead to this machine, or to its address in `addresses`, while the tests of a file run. */
export function leadNamesHere(): void {
  const { lookup } = dns;
  const here = ((name: string, options: dns.LookupOptions, callback: (...found: unknown[]) => void) => {
    const address = addresses.get(name) ?? "127.0.0.1";
    if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  }) as unknown as typeof lookup; // The cast: the SDK and Node call it in this one of its forms.
  beforeAll(() => void (dns.lookup = here));
  afterAll(() => void (dns.lookup = lookup));
}
