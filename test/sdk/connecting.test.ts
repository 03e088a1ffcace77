import dns from "node:dns";
import { createPrivateKey } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  InvalidRequestError,
  type Lookup,
  type NodeMediaGenOptions,
  ServiceError,
} from "@mediagen/sdk/node";
import { createHttpClient } from "@mediagen/sdk/http";
import { describe, expect, test } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { shown } from "../shown.ts";
import { startProxy, startService, type Service } from "./proxy-server.ts";

const ofExample = makeCertificate("*.example.com");
const ofClient = makeCertificate("client");
const result = Buffer.from("result");
const form = { prompt: "A fox" };
/** Resolves every name to this machine. */
const here: Lookup = (_, options, callback) => dns.lookup("localhost", options, callback);
const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error,
  );

/** A service that notes who its clients are, with its results at another name. */
const startTls = (certificate = ofExample, resultHost = "results.example.com") =>
  startService(`https://${resultHost}:PORT/1.png`, result, {
    ...certificate,
    requestCert: true,
    ca: ofClient.cert,
    rejectUnauthorized: false,
  });

function clientOf({ port }: Service, options: NodeMediaGenOptions = {}) {
  const baseUrl = `https://media.example.com:${port}`;
  return createMediaGen({ baseUrl, apiKey: "key", retries: 1, random: () => 0, lookup: here, ...options });
}

describe("tls", () => {
  test.for([
    ["a text", ofExample.cert],
    ["bytes", Buffer.from(ofExample.cert)],
    ["a list", [ofClient.cert, Buffer.from(ofExample.cert)]],
  ] as const)("trusts an authority that is %s, for the service and for results", async ([, ca]) => {
    await using service = await startTls();
    const task = await clientOf(service, { tls: { ca } }).video.generate("vidmodelv2", form);
    await task.wait();
    const [blob] = await blobs(task, { allowPrivateHosts: true });
    expect(await blob?.text()).toBe("result");
    const { data } = await createHttpClient({
      baseUrl: `https://media.example.com:${service.port}`,
      apiKey: "key",
      lookup: here,
      tls: { ca },
    }).POST("/v1/video/infobytaskid", { body: { taskid: "t-1" } });
    expect(data?.code).toBe(1000);
  });

  test("trusts no other, and says so at once", async () => {
    await using service = await startTls();
    for (const tls of [undefined, {}, { ca: ofClient.cert }]) {
      const error = await thrownBy(clientOf(service, { tls }).video.generate("vidmodelv2", form));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(/nothing was sent.*self-signed certificate/);
    }
    expect(service.requests).toEqual([]);
  });

  test("trusts an authority besides those of Node", async () => {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, ofExample.cert]);
    try {
      await using service = await startTls();
      await clientOf(service, { tls: { ca: ofClient.cert } }).video.query("t-1");
    } finally {
      setDefaultCACertificates(before);
    }
  });

  test("checks the name as well", async () => {
    const ofOther = makeCertificate("*.example.org");
    await using service = await startTls(ofOther);
    const error = await thrownBy(clientOf(service, { tls: { ca: ofOther.cert } }).video.query("t-1"));
    expect(String(error)).toContain("does not match certificate's altnames");
  });

  test.for([
    ["as it is", ofClient.key, undefined],
    [
      "with a passphrase",
      createPrivateKey(ofClient.key).export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "open",
      }),
      "open",
    ],
  ] as const)("shows the client certificate to the service alone, its key %s", async ([, key, passphrase]) => {
    await using service = await startTls();
    await using proxy = await startProxy({ certificate: ofExample, ca: ofClient.cert });
    const tls = { ca: ofExample.cert, cert: ofClient.cert, key, passphrase };
    for (const options of [{}, { proxy: proxy.url.replace("localhost", "proxy.example.com") }]) {
      const media = clientOf(service, { tls, ...options });
      const task = await media.video.generate("vidmodelv2", form);
      await task.wait();
      await blobs(task, { allowPrivateHosts: true });
    }
    const once = ["test client", "test client", "none"];
    expect(service.clients).toEqual([...once, ...once]);
    expect([...new Set(proxy.clients)]).toEqual(["none"]);
  });

  test("shows the client certificate for results too, if they are at the base URL's origin", async () => {
    await using service = await startTls(ofExample, "media.example.com");
    const tls = { ca: ofExample.cert, cert: ofClient.cert, key: ofClient.key };
    await blobs(clientOf(service, { tls }).video.task("t-1"), { allowPrivateHosts: true });
    expect(service.clients).toEqual(["test client", "test client"]);
  });

  test.for([
    ["a key of another certificate", { cert: ofClient.cert, key: ofExample.key }, /key values mismatch/],
    ["no archive", { pfx: Buffer.from("secret") }, /tls/],
  ] as const)("rejects %s before anything is sent", async ([, tls, says]) => {
    await using service = await startTls();
    const media = clientOf(service, { tls });
    for (const call of [() => media.video.generate("vidmodelv2", form), () => media.video.query("t-1")]) {
      const error = await thrownBy(call());
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(String(error)).toMatch(
        /connect: tls has a certificate or key that cannot be used \(.*\)\. Nothing was sent\. /,
      );
      expect(String(error)).toMatch(says);
      expect(shown(error)).not.toContain("secret");
    }
    expect(service.requests).toEqual([]);
  });
});

describe("lookup", () => {
  const ca = ofExample.cert;
  /** As simple lookups are: it ignores that all addresses are wanted. */
  const one: Lookup = (_, __, callback) =>
    dns.lookup("localhost", (error, address, family) => callback(error, address, family));

  test("resolves the names of the service and of results", async () => {
    await using service = await startTls();
    const names: string[] = [];
    const lookup: Lookup = (name, options, callback) => (names.push(name), here(name, options, callback));
    const media = clientOf(service, { lookup, tls: { ca } });
    await blobs(media.video.task("t-1"), { allowPrivateHosts: true });
    expect(names).toEqual(["media.example.com", "results.example.com"]);
  });

  test.for([
    ["a list", here],
    ["one", one],
  ] as const)("gets its addresses checked for results, given as %s", async ([, lookup]) => {
    await using service = await startTls();
    // Node itself wants a list for the service.
    const direct: Lookup = (name, options, callback) =>
      (name.startsWith("media") ? here : lookup)(name, options, callback);
    const error = await thrownBy(blobs(clientOf(service, { lookup: direct, tls: { ca } }).video.task("t-1")));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain("leads to this machine or into a private network");
    expect(service.requests).toHaveLength(1);
  });

  test("that fails sends nothing", async () => {
    await using service = await startTls();
    const fails: Lookup = (_, __, callback) => callback(new Error("no such name"), "");
    const error = await thrownBy(clientOf(service, { lookup: fails }).video.generate("vidmodelv2", form));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toMatch(/nothing was sent.*no such name/);
  });
});

describe("an option of connections is rejected when the client is created", () => {
  const creators = { createMediaGen, createHttpClient };

  test.for([
    [
      { proxy: "socks5://user:secret@proxy" },
      "proxy has an invalid value (not shown). Use the URL of an http or https proxy",
    ],
    [{ proxy: "" }, "proxy has an invalid value (not shown)."],
    [{ proxy: "secret:3128" }, "proxy has an invalid value (not shown)."],
    [{ lookup: "secret.example" }, 'lookup must be a function such as dns.lookup, not "secret.example"'],
    [{ tls: "secret" }, "tls is not an object. Use one such as { ca }."],
    [{ tls: { ca: "/secret/ca.pem" } }, "tls.ca has an invalid value (not shown). Use the contents of a PEM file"],
    [{ tls: { ca: ["-----BEGIN ", Buffer.from("secret")] } }, "tls.ca has an invalid value (not shown)."],
    [{ tls: { cert: "-----BEGIN ", key: 1 } }, "tls.key has an invalid value (not shown)."],
    [{ tls: { certificate: "secret" } }, "tls: certificate is not a known option."],
    [
      { proxy: "http://user:secret@proxy", fetch },
      "proxy has no effect with your own fetch, on Bun and on Deno, where fetch opens the connections.",
    ],
    [{ tls: { ca: "secret" }, fetch }, "tls has no effect with your own fetch"],
    [{ lookup: here, fetch }, "lookup has no effect with your own fetch"],
  ] as const)("%j", ([options, says]) => {
    for (const [name, create] of Object.entries(creators)) {
      // The cast: most are errors of type as well.
      const wrong = () => create({ baseUrl: "http://localhost", ...options } as NodeMediaGenOptions);
      expect(wrong).toThrow(InvalidRequestError);
      expect(wrong).toThrow(`${name}: ${says}`);
      if (!("lookup" in options)) expect(() => wrong()).not.toThrow("secret");
    }
  });
});
