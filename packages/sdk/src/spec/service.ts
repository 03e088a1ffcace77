export { codes, operations } from "./operations.gen.ts";
export { schemas } from "./schemas.gen.ts";
