import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSite } from "./docs/build.ts";
import { serveSite } from "./docs/serve.ts";

/** The port of `--serve`, and of the site's default URL. */
const port = 4030;

// Builds the documentation into docs/dist; `--serve` serves it too, until it is stopped.
const { values } = parseArgs({
  options: {
    serve: { type: "boolean" },
    url: { type: "string" },
    repository: { type: "string" },
  },
});
const out = fileURLToPath(new URL("../docs/dist", import.meta.url));
const { url = `http://127.0.0.1:${port}/` } = values;
await buildSite(out, url.replace(/\/*$/, "/"), values.repository);
console.log(`built ${out}`);
if (!values.serve) console.log("Look at it with: npm run docs -- --serve");
else {
  const server = await serveSite(out, port);
  console.log(`The site is on ${server.url}; stop it with Ctrl+C.`);
}
