export { formSchema } from "./form/form-schema.ts";
export type * from "./form/form-schema.ts";
