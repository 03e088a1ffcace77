/** Formats a value as TypeScript, on one line if it fits. */
export function print(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const key = (name: string) => (/^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name));
  const parts = Array.isArray(value)
    ? value.map((item) => print(item, deeper))
    : Object.entries(value).map(([name, item]) => `${key(name)}: ${print(item, deeper)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"];
  const line = open + parts.join(", ") + close;
  if (line.length <= 100 && !line.includes("\n")) return line;
  return `${open.trim()}\n${parts.map((part) => `${deeper}${part},\n`).join("")}${indent}${close.trim()}`;
}
