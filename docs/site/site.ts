// The script of every page: sets the theme first, then adds copy buttons and the menu, and loads
// the search on first use.
const page = document.documentElement;
const assets = (document.currentScript as HTMLScriptElement).src;

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

page.classList.add("js");
let theme: Theme = themes.find((one) => one === stored("theme")) ?? "system";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
function applyTheme(): void {
  const dark = theme === "system" ? systemDark.matches : theme === "dark";
  page.dataset["theme"] = theme;
  // Redoc uses a class.
  page.classList.toggle("dark", dark);
  page.classList.toggle("light", !dark);
}
systemDark.addEventListener("change", applyTheme);
applyTheme();

addEventListener("DOMContentLoaded", () => {
  const button = (id: string) => document.getElementById(id) as HTMLButtonElement | null;
  const themeButton = button("theme-button");
  const showTheme = () => {
    if (themeButton)
      themeButton.ariaLabel =
        themeButton.title = `Theme: ${theme === "system" ? "as the system" : theme}`;
  };
  showTheme();
  themeButton?.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    stored("theme", theme);
    applyTheme();
    showTheme();
  });

  const menuButton = button("menu-button");
  const setMenu = (isOpen: boolean) => {
    document.body.classList.toggle("menu-open", isOpen);
    if (menuButton) menuButton.ariaExpanded = String(isOpen);
    const content = document.getElementById("content");
    if (content) content.inert = isOpen; // The Tab key stays in the menu.
  };
  menuButton?.addEventListener("click", () => setMenu(menuButton.ariaExpanded !== "true"));
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || menuButton?.ariaExpanded !== "true") return;
    setMenu(false);
    menuButton.focus();
  });
  const here = document.querySelector<HTMLElement>(".sidebar [aria-current=page]");
  const sidebar = document.querySelector(".sidebar");
  if (matchMedia("(max-width: 63.9375rem)").matches)
    for (const group of document.querySelectorAll<HTMLDetailsElement>(".sidebar details"))
      group.open = group.contains(here);
  // Not with scrollIntoView, because the Tab key would then continue from there.
  else if (here && sidebar) sidebar.scrollTop = here.offsetTop - sidebar.clientHeight / 2;

  const contents = [...document.querySelectorAll<HTMLAnchorElement>("nav.contents a")];
  const places = contents.map(({ hash }) => document.getElementById(hash.slice(1)));
  const markPlace = () => {
    const isEnd = innerHeight + scrollY >= page.scrollHeight - 2 && scrollY > 0;
    const at = isEnd
      ? places.length - 1
      : places.findLastIndex((place) => place && place.getBoundingClientRect().top < 120);
    for (const [index, link] of contents.entries())
      link.ariaCurrent = index === Math.max(0, at) ? "true" : null;
  };
  if (contents.length > 0) addEventListener("scroll", markPlace, { passive: true });
  markPlace();
  const menu = document.querySelector<HTMLDetailsElement>(".on-this-page");
  addEventListener("click", ({ target }) => {
    if (menu && target !== menu.firstElementChild) menu.open = false;
  });

  // Tabs with the same names follow each other, from page to page.
  const tabs = () => [...document.querySelectorAll<HTMLLabelElement>(".tabs > label")];
  const chooseTabs = (name: string | null) =>
    tabs()
      .filter((tab) => tab.textContent === name)
      .forEach((tab) => tab.click());
  addEventListener("change", ({ target }) => {
    const name = tabs().find(({ htmlFor }) => htmlFor === (target as Element).id)?.textContent;
    if (name) stored("tab", name);
  });
  chooseTabs(stored("tab"));
  for (const block of document.querySelectorAll(".code"))
    addCopyButton(block, () => block.querySelector("code")?.textContent ?? "");
  const copyPage = button("copy-page");
  const twin = document.querySelector<HTMLLinkElement>("link[rel=alternate]")?.href;
  if (copyPage && twin)
    copyPage.onclick = () => copy(copyPage, async () => (await fetch(twin)).text());

  const searchButton = button("search-button");
  searchButton?.addEventListener("click", search);
  // The search is there by the time of the click.
  for (const type of ["pointerenter", "focus"])
    searchButton?.addEventListener(type, () => void loadSearch().catch(() => undefined), {
      once: true,
    });
  addEventListener(
    "keydown",
    (event) => {
      const typing =
        event.target instanceof Element &&
        event.target.closest("input, textarea, select, [contenteditable]");
      const asked =
        (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing);
      if (!asked) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // Redoc has a search of its own.
      void search();
    },
    true,
  );

  const clip = document.querySelector<HTMLVideoElement>("video[data-play]");
  // Respects the setting for reduced motion.
  if (clip && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    clip.addEventListener("play", () => (clip.controls = false), { once: true });
    // They would hide the clip's own clock.
    clip.addEventListener("ended", () => (clip.controls = true));
    void clip.play().catch(() => undefined);
  }
});

/**
 * Returns what the browser keeps under a name, after keeping `value`. If storage is blocked, it
 * keeps nothing.
 */
function stored(name: string, value?: string): string | null {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

const searchIndex = new URL("search.json", assets);

async function loadSearch(): Promise<typeof import("./search.ts")> {
  const module = (await import(new URL("search.js", assets).href)) as typeof import("./search.ts");
  await module.loadIndex(searchIndex);
  return module;
}

async function search(): Promise<void> {
  try {
    const { openSearch } = await loadSearch();
    await openSearch(new URL(page.dataset["root"] ?? ".", location.href), searchIndex);
  } catch {
    const label = document.querySelector("#search-button span");
    if (label) label.textContent = "Search is offline";
  }
}

function addCopyButton(block: Element, text: () => string): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.onclick = () => copy(button, async () => text());
  block.append(button);
}

async function copy(button: HTMLButtonElement, text: () => Promise<string>): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(await text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => (button.textContent = label), 1_500);
}
