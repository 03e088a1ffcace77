import type * as http from "node:http";
import type * as https from "node:https";

/** Node's two modules that send requests. */
export interface HttpModules {
  readonly http: typeof http;
  readonly https: typeof https;
}

/**
 * Loads node:http and node:https as the objects whose functions MSW, nock and OpenTelemetry replace: a function imported by name
 * stays the original one. An import statement would also run the getters of node:http, which load all of fetch.
 */
export async function loadHttpModules(): Promise<HttpModules> {
  // The cast: Node has it from 20.16 and 22.3 on.
  const load = process.getBuiltinModule as typeof process.getBuiltinModule | undefined;
  if (load) return { http: load("node:http"), https: load("node:https") };
  const [{ default: http }, { default: https }] = await Promise.all([import("node:http"), import("node:https")]);
  return { http, https };
}

/** Returns the module that sends to a URL. */
export function moduleFor({ protocol }: URL, { http, https }: HttpModules): typeof http | typeof https {
  return protocol === "https:" ? https : http;
}
