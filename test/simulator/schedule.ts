import {
  createMediaGen,
  type MediaGen,
  MediaGenError,
  type Recovery,
  type UnknownGeneration,
} from "@mediagen/sdk";
import { inspectForm } from "@mediagen/sdk/kit";
import { type Payment, type Sent, Service, type ServiceFaults } from "./service.ts";
import { Database, type StoreFaults } from "./store.ts";
import { Decisions, type Event, idle, type Process, World } from "./world.ts";

const origin = "http://localhost";
/** A run that takes more steps when nothing fails any more does not end. */
const mostSteps = 3_000;
const model = "imgmodelz";

/** What takes part in a run. */
export interface Setting {
  readonly service: ServiceFaults;
  readonly store: StoreFaults;
  /**
   * How likely it is that something happens to the processes; each ordinary step has the weight 1.
   */
  readonly disturbances: Readonly<
    Partial<Record<"crash" | "mostCrashes" | "pause" | "abort", number>>
  >;
  /**
   * The keys of the calls, by process; undefined for a call without a key. Each process makes its
   * calls at the same time.
   */
  readonly calls: readonly (readonly (string | undefined)[])[];
  /** How often each call is made again after an error. */
  readonly repeats: number;
  /** Whether each call has a client of its own, or all calls of a process share one. */
  readonly isClientPerCall: boolean;
  /** How many times people look for unknown generations and resolve them, rightly or wrongly. */
  readonly people: number;
  /** Whether the clocks of processes differ. */
  readonly hasSkew: boolean;
  /** Whether nothing is slow: time passes only if nothing else can happen. */
  readonly isPrompt: boolean;
  /** After so many steps, nothing fails any more, so that the run ends. */
  readonly calmAfter: number;
}

/** One call of `generate`. */
interface Call {
  readonly id: string;
  readonly key: string | undefined;
  readonly prompt: string;
  readonly process: Process;
  readonly controller: AbortController;
  state: "running" | "returned" | "failed";
  taskid?: string;
  error?: unknown;
}

/** What a run has shown. */
export interface Run {
  /** The promise that was broken. */
  readonly broken: string | undefined;
  readonly payments: number;
  readonly trace: readonly string[];
}

/** Runs one schedule, which the decisions determine, and checks the promises after each step. */
export async function run(setting: Setting, decisions: Decisions): Promise<Run> {
  const simulation = new Simulation(setting, decisions);
  const broken = await simulation.run();
  return { broken, payments: simulation.service.payments.length, trace: simulation.world.trace };
}

class Simulation {
  readonly world: World;
  readonly service: Service;
  readonly #database: Database;
  readonly #setting: Setting;
  readonly #calls: Call[] = [];
  readonly #digests = new Map<string, string>();
  /** How often a person has said that no task was created, by prompt. */
  readonly #words = new Map<string, number>();
  /** Prompts about which a person was wrong, and the tasks that were taken from others by that. */
  readonly #misjudged = new Set<string>();
  readonly #storeFailed = new Set<Process>();
  #plain = 0;
  #peopleLeft: number;
  readonly #peopleAtWork = new Set<Process>();
  #violation: string | undefined;

  constructor(setting: Setting, decisions: Decisions) {
    this.#setting = setting;
    this.#peopleLeft = setting.people;
    this.world = new World(decisions, setting.isPrompt);
    this.service = new Service(this.world, setting.service);
    this.#database = new Database(this.world, setting.store);
  }

  /** Returns the broken promise; undefined if all were kept. */
  async run(): Promise<string | undefined> {
    const { calls, hasSkew, calmAfter } = this.#setting;
    for (const [index, keys] of calls.entries()) {
      const process = this.world.start(`process ${index + 1}`, hasSkew);
      const client = this.#client(process);
      for (const key of keys)
        void this.#worker(process, key, this.#setting.isClientPerCall ? undefined : client);
    }
    for (let steps = 0; ; steps++) {
      await idle();
      this.#check();
      if (this.#violation !== undefined) return this.#violation;
      if (steps >= calmAfter) this.world.calmDown();
      if (this.#isOver() && (this.#peopleLeft === 0 || this.world.isCalm)) break;
      if (steps > calmAfter + mostSteps) return "it does not end";
      if (!this.world.step(this.#disturbances()))
        return "nothing can happen, and a call has not ended";
    }
    return this.#checkRecovery();
  }

  #isOver(): boolean {
    const isAtWork = [...this.#peopleAtWork].some(({ isDead }) => !isDead);
    return (
      !isAtWork && this.#calls.every(({ state, process }) => state !== "running" || process.isDead)
    );
  }

  #client(process: Process): MediaGen {
    return createMediaGen({
      baseUrl: origin,
      apiKey: "sk-simulated",
      store: this.#database.connect(process),
      retries: 2,
      generateTimeoutMs: 20_000,
      queryTimeoutMs: 5_000,
      fetchSendsOnce: true,
      fetch: this.service.fetch(process, (sent) => this.#checkSend(sent)),
      clock: {
        now: () => this.world.now + process.skewMs,
        sleep: (ms, signal) => this.world.sleep(process, ms, signal),
        random: () => this.world.decisions.random(),
      },
      onEvent: ({ type }) => void (type === "storeFailed" && this.#storeFailed.add(process)),
    });
  }

  /** Generates for a key, and makes the call again after an error, as a queue does. */
  async #worker(process: Process, key: string | undefined, shared: MediaGen | undefined) {
    for (let tries = 0; tries <= this.#setting.repeats; tries++) {
      // The service tells calls without a key apart by their prompts.
      const prompt = key ?? `plain ${++this.#plain}`;
      this.#digests.set(prompt, await digestOf(prompt));
      const media = shared ?? this.#client(process);
      const id = `call ${this.#calls.length + 1}`;
      const controller = new AbortController();
      const call: Call = { id, key, prompt, process, controller, state: "running" };
      this.#calls.push(call);
      const options = { signal: controller.signal, headers: { "x-call": id } };
      const keyed = key === undefined ? options : { ...options, idempotencyKey: key };
      try {
        const task = await media.image.generate(model, { prompt }, keyed);
        call.state = "returned";
        call.taskid = task.taskid;
        this.world.trace.push(`  ${call.id} of ${process.name} returns ${task.taskid}`);
        return;
      } catch (error) {
        call.state = "failed";
        call.error = error;
        // The id of an attempt is random, and no part of the schedule.
        const text = String(error).replace(/attempt: "[\w-]+"/, "attempt");
        this.world.trace.push(`  ${call.id} of ${process.name} throws ${text}`);
        // Without a key, only what was certainly not created is generated again.
        if (key === undefined && saysMaybe(error)) return;
      }
    }
  }

  /** What may happen to processes, calls and people. */
  #disturbances(): readonly Event[] {
    const { crash = 0, mostCrashes = Infinity, pause = 0, abort = 0 } = this.#setting.disturbances;
    if (this.world.isCalm) return [];
    const alive = this.world.processes.filter(({ isDead }) => !isDead);
    const mayCrash = this.world.processes.length - alive.length < mostCrashes;
    const open = this.#calls.filter(
      ({ state, controller, process }) =>
        state === "running" && !controller.signal.aborted && !process.isDead,
    );
    const event = (name: string, weight: number, run: () => void): Event => ({
      name,
      ways: [{ name: "now", weight, run }],
    });
    return [
      ...alive.map((one) =>
        event(`crash of ${one.name}`, mayCrash ? crash : 0, () => this.world.kill(one)),
      ),
      ...alive.map((one) =>
        event(`pause of ${one.name}, or its end`, pause, () => void (one.isPaused = !one.isPaused)),
      ),
      ...open.map(({ id, controller }) =>
        event(`abort of ${id}`, abort, () => controller.abort(new Error("enough"))),
      ),
      ...(this.#peopleLeft > 0 ? [event("a person", 0.05, () => void this.#person())] : []),
    ];
  }

  /** A person looks for unknown generations, and says of each what became of it. */
  async #person(): Promise<void> {
    this.#peopleLeft--;
    const process = this.world.start(`person ${this.#peopleLeft + 1}`, this.#setting.hasSkew);
    this.#peopleAtWork.add(process);
    const media = this.#client(process);
    try {
      for (const unknown of (await media.recover()).unknown) await this.#resolve(media, unknown);
    } catch {
      // The store or the service failed: the person gives up.
    } finally {
      this.#peopleAtWork.delete(process);
    }
  }

  async #resolve(
    media: MediaGen,
    { generationId, attempt, digest }: UnknownGeneration,
  ): Promise<void> {
    const prompt = [...this.#digests].find(([, one]) => one === digest)?.[0] ?? "";
    const own = this.service.payments.findLast((payment) => payment.prompt === prompt);
    const other = this.service.payments.find((payment) => payment.prompt !== prompt);
    const { finding } = this.world.decisions.choose([
      { finding: own ?? ("none" as const), weight: 4 },
      { finding: "none" as const, weight: 1 },
      ...(other ? [{ finding: other, weight: 1 }] : []),
    ]);
    this.world.trace.push(
      `  the person says that ${prompt} is ${finding === "none" ? "not created" : finding.taskid}`,
    );
    // A request that is still on its way may pay after the person has looked.
    const isRight = finding === "none" ? !this.#isOpen(prompt) && !own : finding.prompt === prompt;
    if (finding === "none") this.#words.set(prompt, (this.#words.get(prompt) ?? 0) + 1);
    if (!isRight) this.#misjudged.add(prompt).add(finding === "none" ? prompt : finding.taskid);
    await (finding === "none"
      ? media.resolve(generationId, "notCreated", { attempt })
      : media.resolve(generationId, { taskid: finding.taskid }, { attempt }));
  }

  #isOpen(prompt: string): boolean {
    return this.service.sent.some((sent) => sent.prompt === prompt && sent.state === "open");
  }

  /** A request must not leave while an earlier one of its key may have been received. */
  #checkSend({ prompt, call }: Sent): void {
    const { key } = this.#calls.find(({ id }) => id === call) ?? {};
    const isRepeated = this.service.sent.some(
      (one) =>
        one.state === "open" && (key === undefined ? one.call === call : one.prompt === prompt),
    );
    if (isRepeated && !this.#words.has(prompt))
      this.#violate(`${prompt} is resent after it may have been received`);
  }

  #violate(what: string): void {
    this.#violation ??= what;
  }

  #check(): void {
    const payments = Map.groupBy(this.service.payments, ({ prompt }) => prompt);
    for (const [prompt, { length }] of payments) {
      const key = this.#calls.find((call) => call.prompt === prompt)?.key;
      if (key !== undefined && length > 1 + (this.#words.get(prompt) ?? 0))
        this.#violate(`${prompt} is paid ${length} times`);
    }
    const lost = this.service.payments.find((payment) => !this.#isTraced(payment));
    if (lost) this.#violate(`${lost.taskid} of ${lost.prompt} is lost`);
    for (const call of this.#calls) this.#checkCall(call);
    for (const entry of this.#database.entries.values())
      if (entry.state === "notCreated" && !entry.resolvedByHand && this.#isOpenFor(entry.digest))
        this.#violate(
          "the store says of a request that may have been received that no task was created",
        );
  }

  #isOpenFor(digest: string | undefined): boolean {
    return [...this.#digests].some(
      ([prompt, one]) => one === digest && this.#isOpen(prompt) && !this.#words.has(prompt),
    );
  }

  /**
   * Whether a payment is returned, recorded, listed as unknown, or belongs to a call that says that
   * a task may exist.
   */
  #isTraced({ taskid, prompt, call: id }: Payment): boolean {
    const entries = [...this.#database.entries.values()].filter(
      ({ digest }) => digest === this.#digests.get(prompt),
    );
    const isRecorded = entries.some(
      ({ task, state }) => task?.taskid === taskid || state === "sending" || state === "unknown",
    );
    const call = this.#calls.find((one) => one.id === id);
    return (
      isRecorded || call?.taskid === taskid || saysMaybe(call?.error) || this.#misjudged.has(prompt)
    );
  }

  #checkCall({ id, key, prompt, process, controller, state, taskid, error }: Call): void {
    if (state === "failed" && !saysMaybe(error)) {
      const isOpen = this.service.sent.some((sent) => sent.call === id && sent.state === "open");
      if (isOpen)
        this.#violate(
          `${id} says that nothing was created, and its request may have been received`,
        );
    }
    if (state !== "returned" || key === undefined) return;
    const isRecorded = [...this.#database.entries.values()].some(
      (entry) => entry.task?.taskid === taskid,
    );
    const isMisjudged = this.#misjudged.has(prompt) || this.#misjudged.has(taskid ?? "");
    const mayBeUnrecorded =
      this.#storeFailed.has(process) || controller.signal.aborted || isMisjudged;
    if (!isRecorded && !mayBeUnrecorded)
      this.#violate(`${id} returns ${taskid}, which is not recorded`);
  }

  /** After everything: a new process finds each payment that no call has returned. */
  async #checkRecovery(): Promise<string | undefined> {
    const left = this.service.payments.filter(({ taskid, prompt, call: id }) => {
      const isReported = (call: Call) =>
        call.taskid === taskid || (call.id === id && saysMaybe(call.error) && !call.process.isDead);
      return !this.#misjudged.has(prompt) && !this.#calls.some(isReported);
    });
    if (left.length === 0) return undefined;
    this.world.calmDown();
    let recovery: Recovery | undefined;
    let failure: unknown;
    const note = (found: Recovery) => void (recovery = found);
    this.#client(this.world.start("the end", false))
      .recover()
      .then(note, (error: unknown) => (failure = error));
    for (let steps = 0; !recovery && steps < mostSteps; steps++) {
      await idle();
      if (!recovery && !this.world.step([])) break;
    }
    if (!recovery) return `recover() does not end, or fails: ${String(failure)}`;
    const { tasks, unknown } = recovery;
    const isListed = ({ taskid, prompt }: Payment) =>
      tasks.some((task) => task.taskid === taskid) ||
      unknown.some(({ digest }) => digest === this.#digests.get(prompt));
    const lost = left.find((payment) => !isListed(payment));
    return lost && `${lost.taskid} of ${lost.prompt} is not listed by recover()`;
  }
}

/** The digests of forms, which each run needs again. */
const digests = new Map<string, string>();

async function digestOf(prompt: string): Promise<string> {
  const digest =
    digests.get(prompt) ?? (await (await inspectForm(model, { prompt })).digest()) ?? "";
  digests.set(prompt, digest);
  return digest;
}

/** Whether an error says that a task may exist. */
function saysMaybe(error: unknown): boolean {
  return error instanceof MediaGenError && error.billed === "maybe";
}
