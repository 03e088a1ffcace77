// With this import, the bundle has no additional file for code that both entry points share.
import "./index.ts";

export { formSchema } from "./form/form-schema.ts";
export type {
  FormIssue,
  FormResult,
  FormSchema,
  FormSchemaOptions,
  FormToJSONSchema,
  FormWithout,
} from "./form/form-schema.ts";
