// JavaScript, because an older Node cannot read TypeScript.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `This is Node ${process.version}, and mediagen's scripts need the one that its dependency "node" ` +
      "installs: run `npm ci` without --ignore-scripts, and then the scripts by npm.",
  );
  process.exit(1);
}
