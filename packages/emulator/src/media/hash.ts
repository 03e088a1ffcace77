/**
 * Returns the FNV-1a hash with 32 bits: similar texts get distant numbers, the same ones on every
 * engine.
 */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
