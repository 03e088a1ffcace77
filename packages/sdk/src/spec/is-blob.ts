/** Whether the value can be sent as a file. */
export function isBlob(value: unknown): value is Blob {
  return typeof value === "object" && value !== null && value instanceof Blob;
}
