// Puts Redoc in the place of the overview, which can be read until then, and marks in the sidebar where the reader is.
// @ts-expect-error The script is copied out of @redocly/cli, which has no types for it.
import { init } from "./redoc.js";

// Redoc decides its colours by this once, and by the class on the page afterwards.
try {
  localStorage.setItem("redoc.colorMode", document.documentElement.classList.contains("dark") ? "dark" : "light");
} catch {
  // Without storage it goes by the system.
}

const spec = (await (await fetch("openapi.json")).json()) as {
  servers: { url: string; variables?: Readonly<Record<string, { readonly default: string }>> }[];
};
// Redoc takes an address that is all variable for one below this page.
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
