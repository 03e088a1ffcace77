/** The content of a link to the playground. It never has files, the URL or the key. */
export interface PlaygroundLink {
  readonly operation: string;
  /** The texts of the fields; undefined if they are those of the example. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly fault: string | undefined;
}

/**
 * Returns the fragment of a link. The key of the fault begins with a dot, unlike the names of
 * fields.
 */
export function fragmentOf({ operation, fields, fault }: PlaygroundLink): string {
  const query = new URLSearchParams(fields);
  if (fault) query.set(".fault", fault);
  return `#${operation}?${query}`;
}

/** Parses the fragment of a link: an operation and, optionally, its fields. */
export function readFragment(fragment: string): PlaygroundLink {
  const [operation = "", query] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  const { ".fault": fault, ...fields } = Object.fromEntries(new URLSearchParams(query));
  return { operation, fields: query === undefined ? undefined : fields, fault };
}
