import { createHash } from "node:crypto";
import type { Page } from "./site.ts";

/** Redoc's styled components write into a style element that is empty when it is made: the hash of nothing. */
const emptyStyle = `'sha256-${createHash("sha256").update("").digest("base64")}'`;

/** Returns what a page may load. It is in the page, because not every host sends headers. */
export function policyOf({ layout }: Pick<Page, "layout">): string {
  const style = layout === "redoc" ? `'self' ${emptyStyle}` : "'self'";
  const font = layout === "redoc" ? "data:" : "'none'";
  // The reader may enter the URL of a service.
  const connect = layout === "playground" ? "'self' https: http://127.0.0.1:* http://localhost:*" : "'self'";
  return `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data: blob:; media-src 'self' blob:; font-src ${font}; connect-src ${connect}; base-uri 'none'; form-action 'none'`;
}

/** The headers of every URL, as Netlify, Cloudflare and others read them: what cannot be said in a page. */
export const headersFile = `/*
  Content-Security-Policy: frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
`;
