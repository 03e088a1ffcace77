import type { CallEntry } from "../service/calls.ts";
import type { Report } from "../service/report.ts";

/** Returns the text of a file with a report: JUnit if the name ends in .xml, JSON otherwise. */
export function reportText(path: string, report: Report): string {
  return path.endsWith(".xml") ? junitOf(report) : `${JSON.stringify(report, undefined, 2)}\n`;
}

/**
 * Returns a report as JUnit XML, with a test case for each operation. It fails if its calls had
 * violations.
 */
function junitOf({ calls, violations, credits, charges }: Report): string {
  const cases = Object.entries(calls).map(([name, count]) => {
    const lines = violations
      .filter(({ operation = "unknown path" }) => operation === name)
      .map(lineOf);
    const body =
      lines.length > 0
        ? `<failure message="${xml(lines[0])}">${xml(lines.join("\n"))}</failure>`
        : "";
    return `    <testcase classname="mediagen-emulator" name="${xml(name)}" assertions="${count}">${body}</testcase>`;
  });
  const failures = cases.filter((one) => one.includes("<failure")).length;
  const counts = `tests="${cases.length}" failures="${failures}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mediagen-emulator" ${counts}>
  <testsuite name="mediagen-emulator" ${counts}>
    <properties>
      <property name="charges" value="${charges.length}"/>
      <property name="credits" value="${credits}"/>
    </properties>
${cases.join("\n")}
    <system-out>${xml(charges.map((charge) => `${charge.taskid} ${charge.operation} ${charge.credits}`).join("\n"))}</system-out>
  </testsuite>
</testsuites>
`;
}

/** Returns a call with violations as a line of text. */
export function lineOf({ method, path, violations }: CallEntry): string {
  return `${method} ${path}: ${violations.join("; ")}`;
}

function xml(text: string = ""): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  // XML forbids most control characters and lone surrogates.
  return text
    .replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "?")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
