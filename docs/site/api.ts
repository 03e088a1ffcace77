// Replaces the overview with Redoc once it is loaded, and marks the current operation in the sidebar.
// @ts-expect-error The script is copied from @redocly/cli, which has no types for it.
import { init } from "./redoc.js";

// Redoc reads this at the start, and later the class on the page.
try {
  localStorage.setItem("redoc.colorMode", document.documentElement.classList.contains("dark") ? "dark" : "light");
} catch {
  // Without storage, it uses the system's theme.
}

const spec = (await (await fetch("openapi.json")).json()) as {
  servers: { url: string; variables?: Readonly<Record<string, { readonly default: string }>> }[];
};
// Redoc would resolve a server URL that is only a variable against this page.
spec.servers = spec.servers.map(({ variables = {}, ...server }) => ({
  ...server,
  url: server.url.replace(/\{(\w+)\}/g, (whole, name: string) => variables[name]?.default ?? whole),
}));
const options = {
  disableTelemetry: true,
  skipBundle: true,
  hideDownloadButtons: true,
  hideSchemaTitles: true,
  codeSamples: {
    languages: [
      { lang: "TypeScript", label: "TypeScript" },
      { lang: "Shell", label: "curl" },
    ],
  },
};
(init as (spec: object, options: object, target: HTMLElement | null) => void)(
  spec,
  options,
  document.getElementById("redoc"),
);

const links = [...document.querySelectorAll<HTMLAnchorElement>(".sidebar a")];
function markPlace(): void {
  const [route] = location.hash.slice(1).split("#");
  for (const link of links) {
    const here =
      link.hash === ""
        ? link.pathname === location.pathname && (route === "" || route === "/")
        : link.hash === `#${route}`;
    if (here) link.ariaCurrent = "page";
    else link.removeAttribute("aria-current");
  }
}
addEventListener("hashchange", markPlace);
addEventListener("popstate", markPlace);
markPlace();
