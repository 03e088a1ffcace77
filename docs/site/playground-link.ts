/** What a link to the playground says. Files, URL and key are never in it. */
export interface PlaygroundLink {
  readonly operation: string;
  /** The fields as they are filled in; undefined: as in the example. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly fault: string | undefined;
}

/** Returns the fragment of a link. The fault has a dot before its name, which no field has. */
export function fragmentOf({ operation, fields, fault }: PlaygroundLink): string {
  const query = new URLSearchParams(fields);
  if (fault) query.set(".fault", fault);
  return `#${operation}?${query}`;
}

/** Reads the fragment of a link: an operation, and perhaps what is filled in. */
export function readFragment(fragment: string): PlaygroundLink {
  const [operation = "", query] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  const { ".fault": fault, ...fields } = Object.fromEntries(new URLSearchParams(query));
  return { operation, fields: query === undefined ? undefined : fields, fault };
}
