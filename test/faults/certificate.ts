import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate and its key, as TLS servers take them. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a self-signed certificate for a host name, at run time: no key lies in the repository. */
export function makeCertificate(
  host: string,
  notAfter: Date = new Date("2090-01-01"),
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, oid("2a8648ce3d040302")); // ecdsa-with-SHA256
  // commonName
  const name = der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, `test ${host}`))));
  // subjectAltName: dNSName
  const alternatives = der(0x30, oid("551d11"), der(0x04, der(0x30, der(0x82, host))));
  const toSign = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(0x30, time(new Date("2020-01-01")), time(notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, alternatives)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", toSign, privateKey)]);
  const base64 = der(0x30, toSign, algorithm, der(0x03, signature)).toString("base64");
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** One ASN.1 value: tag, length, content. */
function der(tag: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((one) => Buffer.from(one as string)));
  const { length } = bytes;
  let size = [length];
  if (length >= 0x100) size = [0x82, length >> 8, length & 0xff];
  else if (length >= 0x80) size = [0x81, length];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function time(date: Date): Buffer {
  // GeneralizedTime, YYYYMMDDHHMMSSZ
  return der(0x18, `${date.toISOString().replace(/[-:T]|\.\d+/g, "")}`);
}
