// Made from packages/emulator/src/page/page.html by `npm run generate`. Edits are lost.

/** The emulator's page. */
export const page: string = "<!doctype html>\n" +
  "<html lang=\"en\">\n" +
  "<meta charset=\"utf-8\">\n" +
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
  "<title>mediagen emulator</title>\n" +
  "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='6' fill='%234f46e5'/%3E%3Cpath d='M9.5 7.5v9l7.5-4.5z' fill='%23fff'/%3E%3C/svg%3E\">\n" +
  "<style>\n" +
  "  :root {\n" +
  "    color-scheme: light dark;\n" +
  "    --paper: light-dark(#f6f7f9, #0e1116);\n" +
  "    --card: light-dark(#fff, #161b22);\n" +
  "    --well: light-dark(#eef0f3, #0a0c10);\n" +
  "    --line: light-dark(#e2e5e9, #2a3038);\n" +
  "    --edge: light-dark(#868e96, #6b7683);\n" +
  "    --ink: light-dark(#1b1f24, #e3e7ec);\n" +
  "    --soft: light-dark(#57606a, #9da7b3);\n" +
  "    --accent: light-dark(#4338ca, #a9b1ff);\n" +
  "    --on-accent: light-dark(#fff, #0e1116);\n" +
  "    --good: light-dark(#116a35, #6fd195);\n" +
  "    --bad: light-dark(#b3261e, #ff9b92);\n" +
  "    --odd: light-dark(#8a4b00, #f0b56f);\n" +
  "    font: 0.9375rem/1.5 system-ui, -apple-system, \"Segoe UI\", Roboto, \"Helvetica Neue\", \"Noto Sans\", \"Liberation Sans\", sans-serif;\n" +
  "    background: var(--paper);\n" +
  "    color: var(--ink);\n" +
  "    scroll-padding-top: 4.5rem;\n" +
  "  }\n" +
  "  * { box-sizing: border-box; }\n" +
  "  body { margin: 0; }\n" +
  "  h1, h2, h3, p, ol, ul, dl, dd { margin: 0; padding: 0; font-size: inherit; }\n" +
  "  ol, ul { list-style: none; }\n" +
  "  h2 { font-size: 1.0625rem; font-weight: 600; }\n" +
  "  code, .mono { font-family: ui-monospace, \"SF Mono\", \"Cascadia Code\", \"JetBrains Mono\", Menlo, Consolas, \"DejaVu Sans Mono\", monospace; font-size: 0.8125rem; }\n" +
  "  .soft { color: var(--soft); font-size: 0.8125rem; }\n" +
  "  a { color: var(--accent); }\n" +
  "  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\n" +
  "  [hidden] { display: none !important; }\n" +
  "\n" +
  "  header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.25rem; padding: 0.75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--paper); }\n" +
  "  h1 { font-size: 1.0625rem; }\n" +
  "  nav { display: flex; gap: 1.25rem; }\n" +
  "  nav a { padding-block: 0.125rem; text-decoration: none; font-variant-numeric: tabular-nums; }\n" +
  "  nav a:hover { text-decoration: underline; }\n" +
  "  #link { margin-left: auto; }\n" +
  "  #link::before, .state::before { content: \"\"; display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.375rem; border-radius: 50%; background: currentcolor; }\n" +
  "  #link::before { background: var(--good); }\n" +
  "  #link.lost { color: var(--bad); }\n" +
  "  #link.lost::before { background: currentcolor; }\n" +
  "\n" +
  "  main { display: grid; gap: 2rem 1.5rem; align-items: start; max-width: 110rem; margin: auto; padding: 1.25rem; }\n" +
  "  main > * { display: grid; gap: 0.75rem; min-width: 0; }\n" +
  "  @media (max-width: 46rem) {\n" +
  "    .results:empty { aspect-ratio: 16 / 4; }\n" +
  "  }\n" +
  "  @media (min-width: 46rem) {\n" +
  "    main { grid-template-columns: minmax(0, 1fr) 18rem; }\n" +
  "    #calls { grid-row: 2; }\n" +
  "    #control { grid-row: 1 / span 2; grid-column: 2; position: sticky; top: 4.25rem; max-height: calc(100vh - 5rem); overflow-y: auto; scrollbar-width: thin; }\n" +
  "  }\n" +
  "  @media (min-width: 75rem) {\n" +
  "    main { grid-template-columns: minmax(0, 1fr) 21rem 17rem; }\n" +
  "    #calls { grid-row: 1; grid-column: 2; }\n" +
  "    #control { grid-row: 1; grid-column: 3; }\n" +
  "  }\n" +
  "\n" +
  "  .panel, .task, .call { border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); }\n" +
  "  .panel { display: grid; gap: 0.625rem; padding: 0.875rem 1rem 1rem; }\n" +
  "  .reading { font-size: 1.25rem; font-variant-numeric: tabular-nums; }\n" +
  "  .row { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem; }\n" +
  "  form { display: grid; gap: 0.625rem; }\n" +
  "  label { display: grid; flex: 1; gap: 0.125rem; min-width: 0; color: var(--soft); font-size: 0.8125rem; }\n" +
  "  input, select, button, .button { min-height: 2.125rem; padding: 0.25rem 0.625rem; border: 1px solid var(--edge); border-radius: 0.375rem; background: var(--card); color: var(--ink); font: inherit; font-size: 0.875rem; }\n" +
  "  input, select { width: 100%; min-width: 0; }\n" +
  "  button, .button { display: inline-block; text-decoration: none; cursor: pointer; }\n" +
  "  .row.even > * { flex: 1; padding-inline: 0.25rem; text-align: center; white-space: nowrap; }\n" +
  "  button:hover, .button:hover { border-color: var(--ink); }\n" +
  "  button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }\n" +
  "  [popover] { max-width: min(24rem, 90vw); padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); color: var(--ink); }\n" +
  "  [popover]::backdrop { background: rgb(0 0 0 / 0.35); }\n" +
  "  [popover] form { margin-top: 1rem; justify-content: start; }\n" +
  "\n" +
  "  #task-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; }\n" +
  "  .task { display: flex; flex-direction: column; overflow: hidden; }\n" +
  "  .results { display: grid; grid-auto-rows: minmax(0, 1fr); gap: 2px; min-height: 0; aspect-ratio: 16 / 10; overflow: hidden; background: var(--well); }\n" +
  "  .results img, .results video { display: block; width: 100%; height: 100%; object-fit: contain; }\n" +
  "  .results :focus-visible { outline-offset: -2px; }\n" +
  "  .results:empty::after { content: attr(data-instead); place-self: center; color: var(--soft); font-size: 1.5rem; font-variant-numeric: tabular-nums; }\n" +
  "  .about { display: grid; gap: 0.375rem; padding: 0.75rem 0.875rem; }\n" +
  "  .line { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 0.75rem; }\n" +
  "  .state { color: var(--soft); white-space: nowrap; font-size: 0.8125rem; }\n" +
  "  .state[data-state=\"running\"] { color: var(--accent); }\n" +
  "  .state[data-state=\"succeeded\"] { color: var(--good); }\n" +
  "  .state[data-state=\"failed\"] { color: var(--bad); }\n" +
  "  progress { width: 100%; height: 0.375rem; border: 0; border-radius: 1rem; overflow: hidden; appearance: none; background: var(--line); color: var(--accent); }\n" +
  "  ::-webkit-progress-bar { background: var(--line); }\n" +
  "  ::-webkit-progress-value { background: var(--accent); }\n" +
  "  ::-moz-progress-bar { background: var(--accent); }\n" +
  "  .prompt { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }\n" +
  "  .prompt, dd, .violations, code { overflow-wrap: anywhere; }\n" +
  "  summary { width: fit-content; cursor: pointer; color: var(--accent); font-size: 0.8125rem; }\n" +
  "  dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.125rem 0.75rem; max-height: 16rem; margin-top: 0.375rem; overflow-y: auto; font-size: 0.8125rem; }\n" +
  "  dt { max-width: 9rem; overflow-wrap: anywhere; color: var(--soft); }\n" +
  "  dd { white-space: pre-wrap; }\n" +
  "\n" +
  "  #call-list { display: grid; gap: 0.375rem; }\n" +
  "  .call { padding: 0.375rem 0.75rem; border-left: 0.25rem solid var(--line); }\n" +
  "  .call.faulty { border-left-color: var(--odd); }\n" +
  "  .call.rejected { border-left-color: var(--bad); }\n" +
  "  .call .line { flex-wrap: nowrap; }\n" +
  "  .call code { min-width: 0; }\n" +
  "  .answer { flex: none; font-variant-numeric: tabular-nums; font-size: 0.8125rem; }\n" +
  "  .violations, .rejected .answer { color: var(--bad); font-size: 0.8125rem; }\n" +
  "  #fault-list li { padding-block: 0.25rem; border-top: 1px solid var(--line); font-size: 0.8125rem; }\n" +
  "  #said { position: fixed; inset: auto 1rem 1rem; width: fit-content; max-width: 40rem; margin: auto; padding: 0.5rem 1rem; border-radius: 0.5rem; background: var(--ink); color: var(--paper); overflow-wrap: anywhere; }\n" +
  "  #said:empty { visibility: hidden; }\n" +
  "</style>\n" +
  "\n" +
  "<header>\n" +
  "  <h1>mediagen emulator</h1>\n" +
  "  <nav aria-label=\"On this page\">\n" +
  "    <a href=\"#tasks\">Tasks <span id=\"task-count\"></span></a>\n" +
  "    <a href=\"#calls\">Calls</a>\n" +
  "    <a href=\"#control\">Control</a>\n" +
  "  </nav>\n" +
  "  <p id=\"link\" class=\"soft\" role=\"status\">connecting</p>\n" +
  "</header>\n" +
  "\n" +
  "<main>\n" +
  "  <section id=\"tasks\" aria-labelledby=\"tasks-title\">\n" +
  "    <h2 id=\"tasks-title\">Tasks</h2>\n" +
  "    <p id=\"no-tasks\" hidden>None yet. A client with the base URL <code id=\"base-url\"></code> makes them appear here.</p>\n" +
  "    <ol id=\"task-list\"></ol>\n" +
  "    <p id=\"more-tasks\" class=\"soft\" hidden></p>\n" +
  "  </section>\n" +
  "\n" +
  "  <section id=\"calls\" aria-labelledby=\"calls-title\">\n" +
  "    <h2 id=\"calls-title\">Calls</h2>\n" +
  "    <p id=\"no-calls\" hidden>None yet.</p>\n" +
  "    <ol id=\"call-list\"></ol>\n" +
  "  </section>\n" +
  "\n" +
  "  <div id=\"control\">\n" +
  "    <section class=\"panel\" aria-labelledby=\"clock-title\">\n" +
  "      <h2 id=\"clock-title\">Clock</h2>\n" +
  "      <p class=\"reading\"><time id=\"now\"></time></p>\n" +
  "      <p id=\"clock-mode\" class=\"soft\"></p>\n" +
  "      <form data-action=\"advance\" class=\"row even\" aria-label=\"Advance\">\n" +
  "        <button name=\"duration\" value=\"1s\">+1 s</button>\n" +
  "        <button name=\"duration\" value=\"10s\">+10 s</button>\n" +
  "        <button name=\"duration\" value=\"1m\">+1 m</button>\n" +
  "        <button name=\"duration\" value=\"1h\">+1 h</button>\n" +
  "      </form>\n" +
  "      <form data-action=\"advance\" class=\"row\">\n" +
  "        <label>Advance by <input name=\"duration\" required placeholder=\"90s, 5m, 2h, 1d\" autocomplete=\"off\"></label>\n" +
  "        <button>Advance</button>\n" +
  "      </form>\n" +
  "    </section>\n" +
  "\n" +
  "    <section class=\"panel\" aria-labelledby=\"credits-title\">\n" +
  "      <h2 id=\"credits-title\">Credits</h2>\n" +
  "      <p class=\"reading\" id=\"credits\"></p>\n" +
  "      <p id=\"charged\" class=\"soft\"></p>\n" +
  "      <form data-action=\"credits\" class=\"row\">\n" +
  "        <label>Set to <input id=\"set-credits\" name=\"credits\" type=\"number\" min=\"0\" step=\"any\" required></label>\n" +
  "        <button>Set</button>\n" +
  "      </form>\n" +
  "    </section>\n" +
  "\n" +
  "    <section class=\"panel\" aria-labelledby=\"faults-title\">\n" +
  "      <h2 id=\"faults-title\">Faults</h2>\n" +
  "      <form data-action=\"next\">\n" +
  "        <label>Fault <select id=\"fault-names\" name=\"fault\"></select></label>\n" +
  "        <label>Where <select id=\"fault-targets\" name=\"on\"></select></label>\n" +
  "        <div class=\"row\">\n" +
  "          <label>Times <input name=\"times\" type=\"number\" min=\"1\" value=\"1\" placeholder=\"no end\"></label>\n" +
  "          <label>Share of calls, % <input name=\"percent\" type=\"number\" min=\"0\" max=\"100\" step=\"any\" value=\"100\" required></label>\n" +
  "        </div>\n" +
  "        <button class=\"main\">Inject</button>\n" +
  "      </form>\n" +
  "      <p id=\"no-faults\" class=\"soft\">None pending.</p>\n" +
  "      <ul id=\"fault-list\" aria-label=\"Pending faults\"></ul>\n" +
  "      <form data-action=\"clear-faults\" id=\"clear-faults\" hidden><button>Clear faults</button></form>\n" +
  "    </section>\n" +
  "\n" +
  "    <section class=\"panel\" aria-labelledby=\"memory-title\">\n" +
  "      <h2 id=\"memory-title\">Memory</h2>\n" +
  "      <div class=\"row even\">\n" +
  "        <a class=\"button\" href=\"snapshot\" download=\"mediagen-emulator.json\">Download snapshot</a>\n" +
  "        <button popovertarget=\"sure\">Reset…</button>\n" +
  "      </div>\n" +
  "      <div id=\"sure\" popover aria-label=\"Reset\">\n" +
  "        <p>This resets the emulator: tasks, charges, calls and faults are deleted.</p>\n" +
  "        <form data-action=\"reset\" class=\"row\">\n" +
  "          <button class=\"main\">Reset</button>\n" +
  "          <button type=\"button\" popovertarget=\"sure\" popovertargetaction=\"hide\">Keep</button>\n" +
  "        </form>\n" +
  "      </div>\n" +
  "    </section>\n" +
  "  </div>\n" +
  "</main>\n" +
  "<p id=\"said\" role=\"status\"></p>\n" +
  "\n" +
  "<template id=\"task\">\n" +
  "  <li class=\"task\">\n" +
  "    <div class=\"results\"></div>\n" +
  "    <div class=\"about\">\n" +
  "      <div class=\"line\"><h3 data-is=\"model\"></h3> <span class=\"state\" data-is=\"state\"></span></div>\n" +
  "      <progress max=\"1\"></progress>\n" +
  "      <p class=\"prompt\" data-is=\"prompt\"></p>\n" +
  "      <p class=\"soft\" data-is=\"plan\"></p>\n" +
  "      <details><summary>Form and record</summary><dl tabindex=\"0\"></dl></details>\n" +
  "    </div>\n" +
  "  </li>\n" +
  "</template>\n" +
  "\n" +
  "<template id=\"call\">\n" +
  "  <li class=\"call\">\n" +
  "    <div class=\"line\"><code data-is=\"operation\"></code> <span class=\"answer\" data-is=\"answer\"></span></div>\n" +
  "    <p class=\"soft\" data-is=\"story\"></p>\n" +
  "    <ul class=\"violations\"></ul>\n" +
  "  </li>\n" +
  "</template>\n" +
  "\n" +
  "<script>\n" +
  "  const $ = (id) => document.getElementById(id);\n" +
  "  const count = new Intl.NumberFormat(\"en\").format;\n" +
  "  const time = (ms) => new Date(ms).toISOString().slice(0, 19).replace(\"T\", \" \");\n" +
  "  const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? \"\" : \"s\"}`;\n" +
  "\n" +
  "  /** Writes a text only if it changes, so that a selection or a screen reader is not interrupted. */\n" +
  "  function write(node, text) {\n" +
  "    if (node.textContent !== text) node.textContent = text;\n" +
  "  }\n" +
  "\n" +
  "  /** Fills in the texts of a copied template. */\n" +
  "  function fill(node, texts) {\n" +
  "    for (const [name, text] of Object.entries(texts)) write(node.querySelector(`[data-is=\"${name}\"]`), text);\n" +
  "  }\n" +
  "\n" +
  "  /** Creates an element with a text and properties. */\n" +
  "  function element(name, text = \"\", properties = {}) {\n" +
  "    const node = Object.assign(document.createElement(name), properties);\n" +
  "    node.append(text);\n" +
  "    return node;\n" +
  "  }\n" +
  "\n" +
  "  /** Updates a list. Existing items are neither recreated nor moved, so that players continue and focus stays. */\n" +
  "  function list(parent, items, keyOf, make, update = () => {}) {\n" +
  "    const keys = items.map(keyOf);\n" +
  "    const old = new Map([...parent.children].map((child) => [child.key, child]));\n" +
  "    for (const [key, child] of old) if (!keys.includes(key)) child.remove();\n" +
  "    let place = parent.firstElementChild;\n" +
  "    items.forEach((item, index) => {\n" +
  "      const child = old.get(keys[index]) ?? Object.assign(make(item, index), { key: keys[index] });\n" +
  "      if (child === place) place = place.nextElementSibling;\n" +
  "      else parent.insertBefore(child, place);\n" +
  "      update(child, item);\n" +
  "    });\n" +
  "  }\n" +
  "\n" +
  "  const byPlace = (text, index) => `${index} ${text}`;\n" +
  "  const copyOf = (id) => () => $(id).content.firstElementChild.cloneNode(true);\n" +
  "\n" +
  "  /** Loads results when they are close to the viewport. */\n" +
  "  const near = new IntersectionObserver((entries) => {\n" +
  "    for (const { isIntersecting, target } of entries) {\n" +
  "      if (!isIntersecting) continue;\n" +
  "      target.src = target.dataset.src;\n" +
  "      near.unobserve(target);\n" +
  "    }\n" +
  "  }, { rootMargin: \"50%\" });\n" +
  "\n" +
  "  function makeResult(task, address, index) {\n" +
  "    const name = `${task.model}, ${index + 1} of ${task.plan.count}: ${task.prompt.slice(0, 120)}`;\n" +
  "    const media = task.plan.video ? element(\"video\", \"\", { controls: true, preload: \"metadata\", ariaLabel: name }) : element(\"img\", \"\", { alt: name });\n" +
  "    media.dataset.src = address;\n" +
  "    near.observe(media);\n" +
  "    return task.plan.video ? media : element(\"a\", media, { href: address, target: \"_blank\" });\n" +
  "  }\n" +
  "\n" +
  "  function planOf({ kind, plan: { width, height, count, video } }) {\n" +
  "    const parts = [kind, `${width} × ${height}`];\n" +
  "    if (video) parts.push(`${video.seconds} s`, `${video.fps} fps`, video.audio ? \"sound\" : \"no sound\");\n" +
  "    if (count > 1) parts.push(`${count} results`);\n" +
  "    return parts.join(\" · \");\n" +
  "  }\n" +
  "\n" +
  "  function makeTask(task) {\n" +
  "    const node = copyOf(\"task\")();\n" +
  "    const rows = {\n" +
  "      ...task.fields,\n" +
  "      ...Object.fromEntries(task.files.map(({ part, name, type, size }) => [`${part} `, `${name} (${type || \"no type\"}, ${plural(size, \"byte\")})`])),\n" +
  "      taskid: task.taskid,\n" +
  "      seed: task.seed,\n" +
  "      created: time(task.createdAt),\n" +
  "    };\n" +
  "    const texts = Object.entries(rows).map(([name, value]) => [name, typeof value === \"string\" ? value : JSON.stringify(value)]);\n" +
  "    node.querySelector(\"dl\").append(...texts.flatMap(([name, text]) => [element(\"dt\", name), element(\"dd\", text)]));\n" +
  "    node.querySelector(\"dl\").ariaLabel = `Form and record of ${task.taskid}`;\n" +
  "    node.querySelector(\"progress\").ariaLabel = `Progress of ${task.taskid}`;\n" +
  "    fill(node, { model: task.model, prompt: task.prompt, plan: planOf(task) });\n" +
  "    return node;\n" +
  "  }\n" +
  "\n" +
  "  function updateTask(node, task) {\n" +
  "    const done = task.state === \"succeeded\" || task.state === \"failed\";\n" +
  "    fill(node, { state: `${task.state}, status ${task.status}` });\n" +
  "    node.querySelector(\".state\").dataset.state = task.state;\n" +
  "    node.querySelector(\"progress\").value = task.progress;\n" +
  "    node.querySelector(\"progress\").hidden = done;\n" +
  "    const results = node.querySelector(\".results\");\n" +
  "    results.dataset.instead = done ? task.state : `${Math.floor(task.progress * 100)} %`;\n" +
  "    results.style.gridTemplateColumns = `repeat(${Math.ceil(Math.sqrt(task.plan.count))}, minmax(0, 1fr))`;\n" +
  "    list(results, task.results, (address) => address, (address, index) => makeResult(task, address, index));\n" +
  "  }\n" +
  "\n" +
  "  function updateCall(node, { at, method, path, operation, status, code, fault, created, violations }) {\n" +
  "    const story = [time(at).slice(11), fault && `fault ${fault}`, created && `created ${created}`];\n" +
  "    fill(node, {\n" +
  "      operation: operation ?? `${method} ${path}`,\n" +
  "      answer: status === undefined ? \"no response\" : code === undefined ? `${status}` : `${status} · ${code}`,\n" +
  "      story: story.filter(Boolean).join(\" · \"),\n" +
  "    });\n" +
  "    node.classList.toggle(\"faulty\", fault !== undefined);\n" +
  "    node.classList.toggle(\"rejected\", violations.length > 0 || (status >= 400 && fault === undefined));\n" +
  "    list(node.querySelector(\".violations\"), violations, byPlace, (text) => element(\"li\", text));\n" +
  "  }\n" +
  "\n" +
  "  function describeFault({ fault, on, times, share = 1 }) {\n" +
  "    return [fault, on && `on ${on}`, times ? plural(times, \"time\") : \"no end\", share < 1 && `${share * 100} % of calls`].filter(Boolean).join(\" · \");\n" +
  "  }\n" +
  "\n" +
  "  function show(state) {\n" +
  "    write($(\"task-count\"), count(state.count));\n" +
  "    list($(\"task-list\"), state.tasks, ({ taskid, createdAt, fields }) => JSON.stringify([taskid, createdAt, fields]), makeTask, updateTask);\n" +
  "    $(\"no-tasks\").hidden = state.count > 0;\n" +
  "    $(\"more-tasks\").hidden = state.count === state.tasks.length;\n" +
  "    write($(\"more-tasks\"), `The latest ${state.tasks.length} of ${count(state.count)}.`);\n" +
  "    list($(\"call-list\"), state.calls, ({ number }) => number, copyOf(\"call\"), updateCall);\n" +
  "    $(\"no-calls\").hidden = state.calls.length > 0;\n" +
  "\n" +
  "    write($(\"now\"), time(state.now));\n" +
  "    const modes = { auto: \"Advances with queries and waits.\", manual: \"Advances only by hand.\" };\n" +
  "    write($(\"clock-mode\"), modes[state.clock] ?? `Runs by itself, ${count(state.clock.speed)} × as fast as yours.`);\n" +
  "    write($(\"credits\"), count(state.credits));\n" +
  "    write($(\"charged\"), `${plural(state.charged, \"generation\")} billed`);\n" +
  "    // The default value only shows if the user has typed nothing.\n" +
  "    $(\"set-credits\").defaultValue = state.credits;\n" +
  "\n" +
  "    list($(\"fault-names\"), state.faultNames, (name) => name, (name) => element(\"option\", name));\n" +
  "    list($(\"fault-targets\"), [\"\", ...state.faultTargets], (name) => name, (name) => element(\"option\", name || \"wherever it fits\", { value: name }));\n" +
  "    list($(\"fault-list\"), state.faults.map(describeFault), byPlace, (text) => element(\"li\", text));\n" +
  "    $(\"no-faults\").hidden = state.faults.length > 0;\n" +
  "    $(\"clear-faults\").hidden = state.faults.length === 0;\n" +
  "  }\n" +
  "\n" +
  "  let shown;\n" +
  "  let turn = 0;\n" +
  "  let timer;\n" +
  "\n" +
  "  /** Shows the state, and updates it each second while the page is visible. */\n" +
  "  async function refresh() {\n" +
  "    const mine = ++turn;\n" +
  "    clearTimeout(timer);\n" +
  "    let text;\n" +
  "    try {\n" +
  "      text = await (await fetch(\"state\", { cache: \"no-store\" })).text();\n" +
  "      if (mine === turn && text !== shown) show(JSON.parse((shown = text)));\n" +
  "    } catch (error) {\n" +
  "      if (text !== undefined) throw error;\n" +
  "    }\n" +
  "    if (mine !== turn) return;\n" +
  "    $(\"link\").classList.toggle(\"lost\", text === undefined);\n" +
  "    write($(\"link\"), text === undefined ? \"the emulator does not respond\" : \"live\");\n" +
  "    if (!document.hidden) timer = setTimeout(refresh, 1000);\n" +
  "  }\n" +
  "\n" +
  "  let silence;\n" +
  "  function say(text) {\n" +
  "    clearTimeout(silence);\n" +
  "    write($(\"said\"), text);\n" +
  "    silence = setTimeout(() => write($(\"said\"), \"\"), 6000);\n" +
  "  }\n" +
  "\n" +
  "  /** The request of each form, and the message after it. */\n" +
  "  const actions = {\n" +
  "    advance: ({ duration }) => [{ duration }, `The clock advanced by ${duration}.`],\n" +
  "    credits: ({ credits }) => [{ credits: Number(credits) }, `There are ${count(credits)} credits.`],\n" +
  "    next: ({ fault, on, times, percent }) => [\n" +
  "      { fault, share: Number(percent) / 100, ...(on && { on }), ...(times && { times: Number(times) }) },\n" +
  "      `${fault} will be injected.`,\n" +
  "    ],\n" +
  "    \"clear-faults\": () => [{}, \"No faults are pending.\"],\n" +
  "    reset: () => [{}, \"The emulator was reset.\"],\n" +
  "  };\n" +
  "\n" +
  "  document.addEventListener(\"submit\", async (event) => {\n" +
  "    event.preventDefault();\n" +
  "    const { target: form, submitter } = event;\n" +
  "    const { action } = form.dataset;\n" +
  "    const [body, done] = actions[action](Object.fromEntries(new FormData(form, submitter)));\n" +
  "    try {\n" +
  "      const answer = await fetch(action, { method: \"POST\", headers: { \"content-type\": \"application/json\" }, body: JSON.stringify(body) });\n" +
  "      say(answer.ok ? done : (await answer.json()).error);\n" +
  "      await refresh();\n" +
  "      if (answer.ok && action !== \"next\") form.reset();\n" +
  "      if (answer.ok && action === \"reset\") $(\"sure\").hidePopover();\n" +
  "    } catch {\n" +
  "      say(\"The emulator does not respond.\");\n" +
  "    }\n" +
  "  });\n" +
  "\n" +
  "  document.addEventListener(\"visibilitychange\", () => (document.hidden ? clearTimeout(timer) : refresh()));\n" +
  "  write($(\"base-url\"), new URL(\"..\", location.href).href.replace(/\\/$/, \"\"));\n" +
  "  refresh();\n" +
  "</script>\n" +
  "";

/** The hashes of the page's script and style, for its Content-Security-Policy. */
export const scriptHash: string = "'sha256-advqsMbCluipmxSGjjQLQbhukCJ8EdcgKVWtCG2/68g='";
export const styleHash: string = "'sha256-ksHSj6d+9KkBlDBeiHhmDAQgrQ0Hj34V5nX271wDDBU='";
