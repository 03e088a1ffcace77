import {
  type Conditions,
  type EngineName,
  engines,
  type Figures,
  type Rates,
  type Storage,
  type Unknown,
} from "./figures.ts";

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
    `${title}, without faults`,
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

function unknownTable(name: EngineName, figures: Unknown & Conditions): string {
  const { kills, faults, both, slow } = figures;
  const runs = [kills, faults, both, slow];
  const row = (what: string, cell: (run: Unknown["kills"]) => string): Row => [what, ...runs.map(cell)];
  const share = (part: number, all: number) => (all === 0 ? "-" : `${((100 * part) / all).toFixed(1)} %`);
  return write(
    `${engines[name].title}, unknown outcomes`,
    ["", "Kills", "Faults", "Both", "Kills, with slow responses"],
    [
      row("Workers killed", ({ kills }) => String(kills)),
      row("Faulty calls", ({ faultyShare, orders }) => share(faultyShare * orders, orders)),
      row("Orders that a worker was sending when it was killed", ({ unknown, kills }) =>
        kills === 0 ? "-" : ((unknown.all - unknown.responseLost) / kills).toFixed(1),
      ),
      row("**Unknown outcomes**", ({ unknown, orders }) => `**${share(unknown.all, orders)}**`),
      row("- response lost by a fault", ({ unknown }) => String(unknown.responseLost)),
      row("- killed, and the form never arrived", ({ unknown }) => String(unknown.notArrived)),
      row("- killed before the response", ({ unknown }) => String(unknown.notResponded)),
      row("- killed after the response", ({ unknown }) => String(unknown.notRecorded)),
      row("Paid, of all unknown ones", ({ unknown }) => share(unknown.paid, unknown.all)),
      row("Unknown outcomes without the state `claimed`", ({ unknown, orders }) =>
        share(unknown.all + unknown.claimedAtKills, orders),
      ),
    ],
    `${conditions(figures)} ${kills.orders} orders in each column, ${kills.workers} workers, 100 generations per second at most. Slow responses take 0.5 s.`,
  );
}

function storageTable(name: EngineName, figures: Storage & Conditions): string {
  const { title, server } = engines[name];
  const requests = name === "bullmq" ? "Commands per order, with those inside scripts" : "Transactions per order";
  return write(
    `${title}, storage`,
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
