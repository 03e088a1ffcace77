/** The texts of the service's description, for people. `descriptions.gen.ts` has them. */
export interface Descriptions {
  /** The generations, by their operation's id. */
  readonly operations: Readonly<Record<string, OperationDescription>>;
  /** The texts that a deletion takes besides the ids. */
  readonly deletionFields: readonly { readonly field: string; readonly description: string }[];
}

/** The summary and the description of a generation, and those of its form's properties. */
export interface OperationDescription {
  readonly summary: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FieldDescription>>;
}

/** The description of a form's property, and its default at the service. */
export interface FieldDescription {
  readonly description: string;
  readonly default?: unknown;
}

/** Returns the description of a property of a form. */
export function describeField({ operations }: Descriptions, operation: string, property: string): FieldDescription {
  return operations[operation]?.fields[property] ?? { description: "" };
}
