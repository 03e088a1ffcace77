/** What the service's description says for people, as `descriptions.gen.ts` holds it. */
export interface Descriptions {
  /** The generations, by their operation's id. */
  readonly operations: Readonly<Record<string, OperationDescription>>;
  /** The texts that a deletion takes besides the ids. */
  readonly deletionFields: readonly { readonly field: string; readonly description: string }[];
}

/** What a generation does, in a line and at length, and what its form's properties mean. */
export interface OperationDescription {
  readonly summary: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FieldDescription>>;
}

/** What a property of a form means, and its default at the service. */
export interface FieldDescription {
  readonly description: string;
  readonly default?: unknown;
}

/** Returns the description of a property of a form. */
export function describeField({ operations }: Descriptions, operation: string, property: string): FieldDescription {
  return operations[operation]?.fields[property] ?? { description: "" };
}
