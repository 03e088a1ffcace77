import {
  type Conditions,
  type EngineName,
  engines,
  type Figures,
  type Rates,
  type Rough,
  type RoughName,
  type Storage,
  type Unknown,
} from "./figures.ts";
import type { UnknownSplit } from "./unknown.ts";

type Row = readonly [string, ...(readonly string[])];

/** Returns the tables of figures as Markdown, for the guide. */
export function pageOf({ rates, storage, unknown }: Figures): string {
  // The cast: figures are kept by the names of engines.
  const names = Object.keys(engines) as readonly EngineName[];
  const each = <F>(figures: Readonly<Partial<Record<EngineName, F>>>, write: (name: EngineName, figure: F) => string) =>
    names.flatMap((name) => {
      const figure = figures[name];
      return figure ? [write(name, figure)] : [];
    });
  return (
    [...each(rates, ratesTable), ...each(unknown, unknownTable), ...each(storage, storageTable)].join("\n\n") + "\n"
  );
}

function ratesTable(name: EngineName, figures: Rates & Conditions): string {
  const { title, server } = engines[name];
  const { rates, fetchMs } = figures;
  const row = (what: string, cell: (rate: Rates["rates"][number]) => string): Row => [what, ...rates.map(cell)];
  const total = ({ cpuMs }: Rates["rates"][number]) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
  return write(
    `${title}: rates`,
    ["", ...rates.map(({ workers }) => (workers === 1 ? "1 worker" : `${workers} workers`))],
    [
      row("Orders per second, measured", ({ perSecond }) => perSecond.toFixed(0)),
      row("Cores in use for everything", (rate) => ((rate.perSecond * total(rate)) / 1_000).toFixed(1)),
      row("CPU time of the workers per order", ({ cpuMs }) => `${cpuMs.workers.toFixed(2)} ms`),
      row(`CPU time of ${server} per order`, ({ cpuMs }) => `${cpuMs.server.toFixed(2)} ms`),
      row("CPU time of the emulator per order", ({ cpuMs }) => `${cpuMs.service.toFixed(2)} ms`),
      row("CPU time of the program that submits, per order", ({ cpuMs }) => `${cpuMs.driver.toFixed(2)} ms`),
      row("One core of workers can do, per second", ({ cpuMs }) => (1_000 / cpuMs.workers).toFixed(0)),
      row(`One core of ${server} can do, per second`, ({ cpuMs }) => (1_000 / cpuMs.server).toFixed(0)),
      row("CPU time of the workers, in POSTs by `fetch`", ({ cpuMs }) => (cpuMs.workers / fetchMs).toFixed(1)),
      row("Queries per order", ({ queriesPerOrder }) => queriesPerOrder.toFixed(1)),
    ],
    `${conditions(figures)} ${rates[0]?.orders} orders or more in each column, after a warm-up. One POST by \`fetch\` took ${fetchMs.toFixed(2)} ms of CPU time.`,
  );
}

const runTitles: Readonly<Record<RoughName, string>> = {
  kills: "Kills",
  few: "Kills, 5 at once",
  slow: "Kills, slow responses",
  faults: "Faults",
  both: "Kills and faults",
};

function unknownTable(name: EngineName, figures: Unknown & Conditions): string {
  // The cast: runs are kept by their names.
  const runs = Object.entries(figures.runs) as readonly (readonly [RoughName, Rough])[];
  const row = (what: string, cell: (run: Rough) => string): Row => [what, ...runs.map(([, run]) => cell(run))];
  const share = (part: number, all: number) => (all === 0 ? "-" : `${((100 * part) / all).toFixed(1)} %`);
  const killed = ({ all, responseLost }: UnknownSplit) => all - responseLost;
  const perKill = ({ unknown, kills }: Rough) => (kills === 0 ? "-" : (killed(unknown) / kills).toFixed(1));
  const [, first] = runs[0] ?? [];
  return write(
    `${engines[name].title}: unknown outcomes`,
    ["", ...runs.map(([run]) => runTitles[run])],
    [
      row("Workers killed", ({ kills, seconds }) => (kills === 0 ? "0" : `${kills} in ${seconds.toFixed(0)} s`)),
      row("Faulty calls", ({ faultyShare }) => share(faultyShare, 1)),
      row("**Unknown outcomes**", ({ unknown, orders }) => `**${share(unknown.all, orders)}**`),
      row("Response lost by a fault", ({ unknown }) => String(unknown.responseLost)),
      row("Killed, and the form never arrived", ({ unknown }) => String(unknown.notArrived)),
      row("Killed before the service responded", ({ unknown }) => String(unknown.notResponded)),
      row("Killed after the service responded", ({ unknown }) => String(unknown.notRecorded)),
      row("Unknown outcomes per kill", perKill),
      row("Paid, of the unknown outcomes", ({ unknown }) => share(unknown.paid, unknown.all)),
      row("Unknown outcomes if `claimed` were not a state", ({ unknown, orders }) =>
        share(unknown.all + unknown.claimedAtKills, orders),
      ),
    ],
    `${conditions(figures)} ${first?.orders} orders in each column, ${first?.workers} workers, at most 100 generations per second. Slow responses take 0.5 s.`,
  );
}

function storageTable(name: EngineName, figures: Storage & Conditions): string {
  const { title, server } = engines[name];
  const requests = name === "bullmq" ? "Commands per order, with those inside scripts" : "Transactions per order";
  return write(
    `${title}: storage`,
    ["", server],
    [
      [requests, figures.requests.toFixed(1)],
      ["Bytes written to its log per order", size(figures.logBytes)],
      ["Bytes for an order that waits", size(figures.waitingBytes)],
      ["Bytes for a check that is due later", size(figures.checkBytes)],
      ["Bytes for a record with its task", size(figures.recordBytes)],
    ],
    conditions(figures),
  );
}

function write(title: string, head: readonly string[], rows: readonly Row[], note: string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
  return [`**${title}**`, "", ...table, "", note].join("\n");
}

function conditions({ at, node, machine }: Conditions): string {
  return `${machine} for everything, Node ${node.slice(1)}, ${at}.`;
}

function size(bytes: number): string {
  return bytes < 1_000 ? `${bytes.toFixed(0)} B` : `${(bytes / 1_000).toFixed(1)} kB`;
}
