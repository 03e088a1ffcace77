import { delimiter } from "node:path";

/**
 * Returns the machine's own PATH, without the directories of packages, which bring another Node.
 */
export function pathOfMachine(): string {
  const paths = (process.env["PATH"] ?? "").split(delimiter);
  return paths.filter((path) => !path.includes("node_modules")).join(delimiter);
}
