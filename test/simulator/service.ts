import type { Fetch, FetchInit, FetchResponse } from "@mediagen/sdk";
import type { Process, Way, World } from "./world.ts";

/** A request to generate, as the network and the service see it. */
export interface Sent {
  readonly call: string;
  readonly prompt: string;
  /** `open` until the sender has proof: that it never left, or that the service created no task. */
  state: "open" | "proven";
}

/** A task that was billed. */
export interface Payment {
  readonly taskid: string;
  readonly prompt: string;
  readonly call: string;
}

type NetworkFault = "notReached" | "droppedOnTheWay" | "responseLost" | "responseNever";
/** How likely each fault of the network and the service is; none has the weight 1. */
export type ServiceFaults = Readonly<
  Partial<Record<NetworkFault | "rejected" | "odd" | "rateLimited" | "failed", number>>
>;

/** The service in memory, behind a network that loses and delays. */
export class Service {
  readonly sent: Sent[] = [];
  readonly payments: Payment[] = [];
  readonly #world: World;
  readonly #faults: ServiceFaults;

  constructor(world: World, faults: ServiceFaults) {
    this.#world = world;
    this.#faults = faults;
  }

  /**
   * Returns the fetch function of a process. It sends each request once, and follows no redirect.
   */
  fetch(process: Process, onSend: (sent: Sent) => void): Fetch {
    return async (url, init) => {
      const body = typeof init.body === "string" ? init.body : await textOf(init);
      if (url.endsWith("infobytaskid"))
        return this.#query(process, String(JSON.parse(body).taskid));
      const prompt = /name="prompt"\r\n\r\n(.*)\r\n/.exec(body)?.[1] ?? "";
      const sent: Sent = { call: init.headers["x-call"] ?? "", prompt, state: "open" };
      onSend(sent);
      this.sent.push(sent);
      return this.#generate(process, sent);
    };
  }

  #generate(process: Process, sent: Sent): Promise<FetchResponse> {
    const {
      notReached = 0,
      droppedOnTheWay = 0,
      responseLost = 0,
      responseNever = 0,
    } = this.#faults;
    const about = `request of ${sent.call}`;
    const response = Promise.withResolvers<FetchResponse>();
    response.promise.catch(() => undefined);
    const later = (name: string, ways: readonly Way[]) =>
      this.#world.add({ name: `${about}: ${name}`, process, ways });
    const lose = () =>
      later("the connection", [
        { name: "is reset", weight: 1, run: () => response.reject(reset()) },
      ]);
    const arrive = () => {
      const [usual, ...others] = this.#responses(sent);
      const chosen = this.#world.isCalm ? usual : this.#world.decisions.choose([usual, ...others]);
      this.#world.trace.push(`  the service: ${chosen.name}`);
      const arrived = chosen.respond();
      later("the response", [
        { name: "arrives", weight: 1, run: () => response.resolve(arrived) },
        { name: "is lost", weight: responseLost, run: () => response.reject(reset()) },
        { name: "never comes", weight: responseNever, run: () => undefined },
      ]);
    };
    // In the network: what has left is delivered even if its sender has died since.
    const ways: readonly Way[] = [
      { name: "is delivered", weight: 1, run: arrive },
      { name: "is lost on the way", weight: droppedOnTheWay, run: lose },
    ];
    const leave = () => this.#world.add({ name: about, ways });
    const fail = () => {
      prove(sent);
      response.reject(connectionRefused());
    };
    later("it", [
      { name: "leaves", weight: 1, run: leave },
      { name: "is not connected", weight: notReached, run: fail },
    ]);
    return response.promise;
  }

  #responses(sent: Sent) {
    const { prompt, call } = sent;
    const pay = () => {
      const taskid = `t-${this.payments.length + 1}`;
      this.payments.push({ taskid, prompt, call });
      return { taskid };
    };
    const refuse = (response: FetchResponse) => {
      prove(sent);
      return response;
    };
    const { rejected = 0, odd = 0, rateLimited = 0, failed = 0 } = this.#faults;
    return [
      { name: "creates a task", weight: 1, respond: () => envelope(200, 1000, pay()) },
      {
        name: "creates a task under HTTP 500",
        weight: failed,
        respond: () => envelope(500, 1000, pay()),
      },
      { name: "rejects it", weight: rejected, respond: () => refuse(envelope(200, 9999)) },
      {
        name: "has no credits",
        weight: rejected,
        respond: () => refuse(envelope(200, 9000)),
      },
      {
        name: "limits the rate",
        weight: rateLimited,
        respond: () => refuse(responseOf(429, "slow down")),
      },
      { name: "creates a task and does not say so", weight: odd, respond: () => this.#odd(pay()) },
      { name: "fails", weight: failed, respond: () => responseOf(503, "") },
    ].filter(({ weight }) => weight > 0) as [Possible, ...Possible[]];
  }

  /** A response after a payment from which a caller cannot know that there is a task. */
  #odd(data: { readonly taskid: string }): FetchResponse {
    const cut = JSON.stringify({ code: 1000, msg: "", data }).slice(0, -9);
    const responses = [
      ...[302, 408, 409, 502].map((status) => responseOf(status, "<html>")),
      ...[200, 400, 429].flatMap((status) => [
        envelope(status, 9999, data),
        responseOf(status, cut),
      ]),
      ...[{}, { taskid: "" }, { taskid: 2 ** 60 }].map((none) => envelope(200, 1000, none)),
      envelope(200, 1234),
    ];
    return this.#world.decisions.choose(responses.map((response) => ({ response, weight: 1 })))
      .response;
  }

  #query(process: Process, taskid: string): Promise<FetchResponse> {
    const { responseLost = 0, failed = 0 } = this.#faults;
    const isKnown = this.payments.some((one) => one.taskid === taskid);
    const record = () => (isKnown ? envelope(200, 1000, { taskid, url: [] }) : envelope(200, 9999));
    return this.#world.happens(`query of ${taskid}`, process, ({ resolve, reject }) => [
      { name: "arrives", weight: 1, run: () => resolve(record()) },
      { name: "is lost", weight: responseLost, run: () => reject(reset()) },
      { name: "fails", weight: failed, run: () => resolve(envelope(500, 9999)) },
    ]);
  }
}

type Possible = Omit<Way, "run"> & { readonly respond: () => FetchResponse };

const textOf = async ({ body }: FetchInit) =>
  body instanceof Blob ? (blobTexts.get(body) ?? body.text()) : "";
/** The texts of Blobs: reading one takes real time. */
const blobTexts = new WeakMap<Blob, string>();

/** A Blob that remembers its text. */
export class TextBlob extends Blob {
  constructor(parts: readonly BlobPart[] = [], options?: BlobPropertyBag) {
    super([...parts], options);
    if (parts.every((part) => typeof part === "string")) blobTexts.set(this, parts.join(""));
  }
}

/** Records that a request has created no task, and never will. */
const prove = (sent: Sent) => void (sent.state = "proven");
const fails = (code: string, syscall: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code, syscall }) });
const reset = () => fails("ECONNRESET", "read");
const connectionRefused = () => fails("ECONNREFUSED", "connect");

const envelope = (status: number, code: number, data?: object) =>
  responseOf(status, JSON.stringify({ code, msg: "", ...(data && { data }) }));

/** A response whose body is read without streams, which take real time. */
function responseOf(status: number, text: string): FetchResponse {
  const pieces = [{ done: false, value: new TextEncoder().encode(text) }];
  const reader = {
    read: async () => pieces.shift() ?? { done: true, value: undefined },
    cancel: async () => undefined,
  };
  const headers = { get: () => null, [Symbol.iterator]: () => [][Symbol.iterator]() };
  // The cast: a reader is all that the SDK uses of a body.
  const body = { getReader: () => reader } as unknown as ReadableStream<Uint8Array>;
  return { status, redirected: false, headers, body };
}
