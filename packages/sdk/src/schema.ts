export { formSchema } from "./form/form-schema.ts";
export type {
  FormIssue,
  FormResult,
  FormSchema,
  FormSchemaOptions,
  FormToJSONSchema,
  FormWithout,
} from "./form/form-schema.ts";
