import { createHash } from "node:crypto";
import type { Page } from "./site.ts";

/** The hash of an empty style element. Redoc's styled components create one and fill it later. */
const emptyStyle = `'sha256-${createHash("sha256").update("").digest("base64")}'`;

/**
 * Returns the Content-Security-Policy of a page. It is in the page, because not every host sends
 * headers.
 */
export function policyOf({ layout }: Pick<Page, "layout">): string {
  const style = layout === "redoc" ? `'self' ${emptyStyle}` : "'self'";
  const font = layout === "redoc" ? "data:" : "'none'";
  return `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data: blob:; media-src 'self' blob:; font-src ${font}; connect-src 'self'; base-uri 'none'; form-action 'none'`;
}

/**
 * The headers of every URL, in the format of Netlify and Cloudflare. A page itself cannot set
 * these.
 */
export const headersFile = `/*
  Content-Security-Policy: frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
`;
