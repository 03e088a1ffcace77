#!/usr/bin/env node
// The compiled code is kept in the directory for temporary files, unless NODE_DISABLE_COMPILE_CACHE
// is set. Node 20 has no such cache.
process.getBuiltinModule("node:module").enableCompileCache?.();
// npm links a command when it installs, and what is built is not there yet.
await import("./dist/command.js");
