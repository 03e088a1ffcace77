import { afterAll, vi } from "vitest";

// Files of tests share processes: what one replaces and does not put back, the next would meet.
afterAll(() => {
  vi.restoreAllMocks();
  // After the mocks: one of a fake timer would bring that back.
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
