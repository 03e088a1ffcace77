// `node scripts/run.js VERB ...` runs scripts/VERB.ts. It is JavaScript, so that a Node that cannot
// read TypeScript can say so.
const [verb, ...args] = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `This is Node ${process.version}; mediagen's scripts run on the one that its dependency "node" installs.\n` +
      "Run them through npm (npm start, npm test, ...), after an `npm ci` without --ignore-scripts.",
  );
  process.exit(1);
}
const { default: run } = await import(`./${verb}.ts`);
try {
  await run(args);
} catch (error) {
  // Errors of system calls and of the command line have messages for users. Anything else is a bug,
  // and needs its stack.
  console.error(error.code === undefined && !(error instanceof TypeError) ? error : error.message);
  process.exitCode = 1;
}
