import { installIn } from "../../install-in.ts";

/** Installs the libraries in their own directory. */
export default function setup(): void {
  installIn(import.meta.dirname, { scripts: true });
}
