// What this entry point shares with the main one is in one file then, and not in another one besides.
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
