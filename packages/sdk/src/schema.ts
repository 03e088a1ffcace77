// Code that this entry point shares with the main one is then bundled into one file, not into one more.
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
