import { redocly } from "./redocly.ts";

/** Lints the spec, or the file given, by openapi/redocly.yaml. */
export default function run([file = "openapi/openapi.yaml"]: readonly string[]): void {
  process.exitCode = redocly("lint", [file]).status ?? 1;
}
