/**
 * Where orval's functions send. They are functions of a module, so its base URL is a variable of
 * one.
 */
export const base: { url: string } = { url: "" };
