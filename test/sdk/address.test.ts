import { BlockList, isIPv6 } from "node:net";
import { blobs, createMediaGen, type FetchInit, ServiceError } from "@mediagen/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";

/**
 * IANA's special-purpose addresses as node:net knows networks, which is independent of the SDK's
 * own reading of them.
 */
const special4 = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 " +
    "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
);
/** All but 2000::/3, which has the public addresses; then what is not public in it. */
const special6 = networks("::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20");

/** One list cannot hold both families: it takes an IPv4 address for a mapped one of IPv6. */
function networks(list: string): BlockList {
  const blocked = new BlockList();
  for (const network of list.split(" ")) {
    const [address = "", length] = network.split("/");
    blocked.addSubnet(address, Number(length), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return blocked;
}

function isSpecial(address: string): boolean {
  if (!isIPv6(address)) return special4.check(address, "ipv4");
  const [, high = "", low = ""] =
    /^(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? [];
  const embedded = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex").join(".");
  return high === "" ? special6.check(address, "ipv6") : special4.check(embedded, "ipv4");
}

/** Whether a client of a public service requests a result from this host. */
async function isRequested(
  host: string,
  options: { readonly allowPrivateHosts?: boolean } = {},
): Promise<boolean> {
  let requested = false;
  const urls = ["https://first.example.com/a", `http://${host}/a`];
  const fetch = async (url: string, { method }: FetchInit) => {
    if (method === "POST")
      return Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: urls } });
    requested ||= url !== urls[0];
    return new Response("x");
  };
  const media = createMediaGen({
    baseUrl: "https://media.example.com",
    apiKey: "sk-canary",
    fetch,
  });
  const error: unknown = await blobs(media.image.task("t-1"), options).catch(
    (thrown: unknown) => thrown,
  );
  expect(error instanceof ServiceError).toBe(!requested);
  return requested;
}

/** One of these, or any number up to this one, in these digits. */
const oneOf = (most: number, usual: string, radix = 10) =>
  fc.oneof(
    fc.constantFrom(...usual.split(" ")),
    fc.integer({ min: 0, max: most }).map((value) => value.toString(radix)),
  );
const ipv4 = fc
  .tuple(
    oneOf(255, "0 10 100 127 169 172 192 198 203 224 255"),
    oneOf(255, "0 2 16 18 51 64 168 254"),
    oneOf(255, "0 2 100 113"),
    oneOf(255, "0"),
  )
  .map((bytes) => bytes.join("."));
const ipv6 = fc
  .tuple(
    oneOf(0xffff, "0 64 100 2000 2001 2002 2003 2606 3ffe 3fff fc00 fdff fe80 fec0 ff02", 16),
    oneOf(0xffff, "0 1 db8 ff9b 1ff 200 4860", 16),
    fc.array(oneOf(0xffff, "0", 16), { minLength: 6, maxLength: 6 }),
  )
  .map(([one, two, rest]) => [one, two, ...rest].join(":"));
const embedded = fc
  .tuple(fc.constantFrom("::ffff:", "64:ff9b::", "::", "::ffff:0:", "64:ff9b:1::", "2002::"), ipv4)
  .map((parts) => parts.join(""));

test("a result at an address is requested only if it is public, as another reading of the networks says", async () => {
  const counts = { requested: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(fc.oneof(ipv4, ipv6, embedded), async (address) => {
      const host = new URL(`http://${address.includes(":") ? `[${address}]` : address}`).hostname;
      const requested = await isRequested(host);
      counts[requested ? "requested" : "rejected"]++;
      expect([host, requested]).toEqual([host, !isSpecial(host.replace(/[[\]]/g, ""))]);
    }),
    { numRuns: 1_500, seed: 12 },
  );
  expect(Math.min(counts.requested, counts.rejected)).toBeGreaterThan(150);
});

// The bounds of networks, and other ways to write an address.
const privateHosts =
  "100.64.0.1 169.254.169.254 172.20.0.1 192.0.0.192 192.168.1.1 198.19.255.255 224.0.0.1 255.255.255.255 203.0.113.9 " +
  "2130706433 0x7f.1 [::] [::1] [::7f00:1] [fe80::1] [fec0::1] [ff02::1] [fd00::1] [64:ff9b:1::1] [64:ff9b::10.0.0.1] " +
  "[2002:7f00:1::] [2001:0:1::1] [2001:db8::1] [::ffff:127.0.0.1] [100::1] localhost localhost. a.localhost LOCALHOST.";
// The runtime's fetch resolves names by itself. `@mediagen/sdk/node` checks the address that it
// connects to.
const publicHosts =
  "8.8.8.8 172.32.0.1 192.0.1.1 198.20.0.1 100.128.0.1 223.255.255.255 [2606:4700::1] [2001:4860::1] [2003::1] " +
  "[::ffff:8.8.8.8] [64:ff9b::8.8.8.8] results.example.com 127.example.com 10.0.0.1.example.com";

test.for(privateHosts.split(" "))(
  "a result at %s is requested only if the caller allows private hosts",
  async (host) => {
    expect(await isRequested(host)).toBe(false);
    expect(await isRequested(host, { allowPrivateHosts: true })).toBe(true);
  },
);

test.for(publicHosts.split(" "))("a result at %s is requested", async (host) => {
  expect(await isRequested(host)).toBe(true);
});
