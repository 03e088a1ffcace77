import tls, { type SecureContext } from "node:tls";
import { invalidRequest, messageOf } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import type { Pem, TlsOptions } from "./connect-options.ts";

/**
 * Returns the TLS context of connections; undefined for Node's defaults. It is created once, because that takes milliseconds.
 *
 * @throws An {@link InvalidRequestError} if a certificate or key cannot be read, or they do not fit each other
 */
export function secureContextOf({ ca, ...own }: TlsOptions = {}): SecureContext | undefined {
  if ([ca, ...Object.values(own)].every((value) => value === undefined)) return undefined;
  try {
    // The casts: Node takes any bytes, which its types call Buffers, and undefined, which they leave out.
    return tls.createSecureContext({
      ...own,
      ...(ca && { ca: [...trusted(), ca].flat() }),
    } as tls.SecureContextOptions);
  } catch (error) {
    const received = `a certificate or key that cannot be used (${messageOf(error)})`;
    const expected = "what tls.createSecureContext takes";
    const more = { problem: `has ${received}` };
    throw invalidRequest("connect", "tls", "wrongFormat", received, expected, nothingWasSent, more);
  }
}

/** Returns the authorities that Node trusts, with those of NODE_EXTRA_CA_CERTS if Node reports them. */
function trusted(): readonly Pem[] {
  // The cast: Node has it from 22.15 on.
  const list = tls.getCACertificates as typeof tls.getCACertificates | undefined;
  return list ? list("default") : tls.rootCertificates;
}
