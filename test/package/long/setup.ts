import { installIn } from "../../install-in.ts";

/** Installs Jest in its own directory. */
export default function setup(): void {
  installIn(`${import.meta.dirname}/jest`);
}
