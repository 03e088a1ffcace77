#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { run } from "./node/program.ts";

// Otherwise the space for new objects grows under load, and the memory doubles.
setFlagsFromString("--semi-space-growth-factor=1");

await run(process.argv.slice(2));
