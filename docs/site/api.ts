// Shows the description with Redoc.
// @ts-expect-error The script is copied from @redocly/cli, which has no types for it.
import { init } from "./redoc.js";

// Redoc reads this at the start, and later the class on the page.
try {
  localStorage.setItem(
    "redoc.colorMode",
    document.documentElement.classList.contains("dark") ? "dark" : "light",
  );
} catch {
  // Without storage, it uses the system's theme.
}

const options = {
  disableTelemetry: true,
  skipBundle: true,
  hideDownloadButtons: true,
  hideSchemaTitles: true,
  scrollYOffset: ".top",
  codeSamples: {
    languages: [
      { lang: "TypeScript", label: "TypeScript" },
      { lang: "Shell", label: "curl" },
    ],
  },
};
(init as (spec: object, options: object, target: HTMLElement | null) => void)(
  await (await fetch("../openapi.json")).json(),
  options,
  document.getElementById("redoc"),
);
