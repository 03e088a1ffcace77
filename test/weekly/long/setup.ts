import { installIn } from "../../install-in.ts";

/** Installs Jest and older versions of TypeScript in their own directory. */
export default function setup(): void {
  installIn(import.meta.dirname);
}
