import { BlockList, isIPv6 } from "node:net";
import { blobs, createMediaGen, type FetchInit, ServiceError } from "@mediagen/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { privateHosts, publicHosts } from "./private-hosts.ts";

/** IANA's special-purpose addresses as node:net knows networks, which is independent of the SDK's own reading of them. */
// Two lists, because one takes an IPv4 address for a mapped one of IPv6.
const special4 = new BlockList();
const special6 = new BlockList();
for (const network of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]) {
  const [address = "", length] = network.split("/");
  special4.addSubnet(address, Number(length), "ipv4");
}
for (const network of [
  // All but 2000::/3, which is where public addresses are; then what is not public in it.
  "::/3",
  "4000::/2",
  "8000::/1",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]) {
  const [address = "", length] = network.split("/");
  special6.addSubnet(address, Number(length), "ipv6");
}

function isSpecial(address: string): boolean {
  if (!isIPv6(address)) return special4.check(address, "ipv4");
  const [, high = "", low = ""] = /^(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? [];
  const embedded = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex").join(".");
  return high === "" ? special6.check(address, "ipv6") : special4.check(embedded, "ipv4");
}

/** Whether a client of a public service requests a result from this host. */
async function isRequested(host: string): Promise<boolean> {
  let requested = false;
  const fetch = async (_: string, { method }: FetchInit) => {
    if (method === "POST")
      return Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: [`http://${host}/a`] } });
    requested = true;
    return new Response("x");
  };
  const media = createMediaGen({ baseUrl: "https://media.example.com", apiKey: "sk-canary", fetch });
  const error: unknown = await blobs(media.image.task("t-1")).catch((thrown: unknown) => thrown);
  expect(error instanceof ServiceError).toBe(!requested);
  return requested;
}

const byte = fc.integer({ min: 0, max: 255 });
const ipv4 = fc
  .tuple(
    fc.oneof(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255), byte),
    fc.oneof(fc.constantFrom(0, 2, 16, 18, 51, 64, 168, 254), byte),
    fc.oneof(fc.constantFrom(0, 2, 100, 113), byte),
    byte,
  )
  .map((bytes) => bytes.join("."));
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const first = fc.constantFrom(
  "0",
  "64",
  "100",
  "2000",
  "2001",
  "2002",
  "2003",
  "2606",
  "3ffe",
  "3fff",
  "fc00",
  "fdff",
  "fe80",
  "fec0",
  "ff02",
);
const second = fc.constantFrom("0", "1", "db8", "ff9b", "1ff", "200", "4860");
const ipv6 = fc
  .tuple(
    fc.oneof(first, group),
    fc.oneof(second, group),
    fc.array(fc.oneof(fc.constant("0"), group), { minLength: 6, maxLength: 6 }),
  )
  .map(([one, two, rest]) => [one, two, ...rest].join(":"));
const embedded = fc
  .tuple(fc.constantFrom("::ffff:", "64:ff9b::", "::", "::ffff:0:", "64:ff9b:1::", "2002::"), ipv4)
  .map((parts) => parts.join(""));

describe("a result's host that is an address", () => {
  test("is requested only if it is public, as another reading of the networks says", async () => {
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

  test.for(privateHosts)("is rejected if it is %s", async (host) => expect(await isRequested(host)).toBe(false));

  test.for(publicHosts)("is requested if it is %s", async (host) => expect(await isRequested(host)).toBe(true));
});

test.for(["localhost", "localhost.", "a.localhost.", "LOCALHOST."])("the name %s is this machine", async (host) =>
  expect(await isRequested(host)).toBe(false),
);

// The runtime's fetch resolves names by itself. `@mediagen/sdk/node` checks the address that it connects to.
test.for(["results.example.com", "127.example.com", "10.0.0.1.example.com"])(
  "the name %s is not resolved",
  async (host) => expect(await isRequested(host)).toBe(true),
);
