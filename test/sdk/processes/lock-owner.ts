import { disk } from "@mediagen/sdk/kit";

// Locks the paths of each message, and sends those that it owns.
process.on("message", (paths: readonly string[]) =>
  process.send?.(paths.filter((path) => !disk.lockFile(path).owner)),
);
