import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import { afterAll, expect, vi } from "vitest";

const shared = () => ({
  setTimeout,
  clearTimeout,
  setInterval,
  Date,
  now: Date.now,
  steady: performance.now,
  fetch,
  Blob,
  lookup: dns.lookup,
  httpRequest: http.request,
  httpsRequest: https.request,
});
const before = shared();

// Files of tests share processes: what one replaces and does not put back, the next would meet.
afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const after = shared();
  for (const name of Object.keys(before) as (keyof typeof before)[])
    // The cast: Object.keys forgets the names.
    expect(after[name], `this file has put another ${name} in place`).toBe(before[name]);
});
