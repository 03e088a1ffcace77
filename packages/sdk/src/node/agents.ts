import type { Agent, AgentOptions, ClientRequest } from "node:http";
import { isIP, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type ConnectOptions, environmentProxy } from "./connect-options.ts";
import { type HttpModules, moduleFor } from "./http-modules.ts";

/** Options for the agents of one client. */
export interface PoolOptions extends ConnectOptions {
  /** The maximum number of polls in flight. They get sockets of their own, so that polls that hang hold up no other call. */
  readonly polls?: number | undefined;
}

/** Sockets of queries and deletions that may be open at once, besides those of polls. */
const poolSize = 64;
/** The idle timeout of a socket: shorter than that of servers, so that few sockets are found closed when reused. */
const idleMs = 4_000;
const pooling: AgentOptions = { keepAlive: true, timeout: idleMs, scheduling: "lifo" };
/** The timeout for establishing a connection, with its tunnel and its TLS session. */
const connectMs = 10_000;
/** The timeout of one address of several, before the next is tried. Node's own 250 ms are too short for distant servers. */
const addressTimeoutMs = 1_000;

/** Own agents, by what they depend on. All clients share them: a program may create a client for each of its users. */
const own = new Map<string, Agent>();

/** The agents of one client: the caller's for everything, or else own ones. */
export class Agents {
  readonly #modules: HttpModules;
  readonly #options: PoolOptions;

  constructor(modules: HttpModules, options: PoolOptions) {
    this.#modules = modules;
    this.#options = options;
  }

  /** Returns the agent of queries and deletions. It does not keep the process alive: an Agent unrefs its idle sockets. */
  pool(url: URL): Agent {
    const { agent, polls = 0 } = this.#options;
    const maxSockets = poolSize + polls;
    // A pool has one origin, so all its sockets share one name. Node's own takes long to compute.
    return agent ?? this.#own(url, `${url.origin} ${maxSockets}`, { ...pooling, maxSockets }, { getName: () => "" });
  }

  /**
   * Returns the agent of a generation or a result. Own ones open a connection for each. If the server closes a pooled one at that
   * moment, this looks the same as a lost response, and a pooled one of a result may lead into a private network.
   */
  single(url: URL): Agent {
    return this.#options.agent ?? this.#own(url, url.protocol, {});
  }

  /** Returns whether the agent of a result may resolve its host elsewhere. */
  resolvesElsewhere(url: URL): boolean {
    return this.#options.agent !== undefined || environmentProxy("@mediagen/sdk/node", url) !== undefined;
  }

  #own(url: URL, name: string, options: AgentOptions, methods: Partial<Agent> = {}): Agent {
    const proxy = environmentProxy("@mediagen/sdk/node", url);
    const key = `${name} ${proxy}`;
    const known = own.get(key) ?? Object.assign(this.#create(url, proxy, options), methods);
    own.set(key, known);
    return known;
  }

  #create(url: URL, proxy: string | undefined, given: AgentOptions): Agent {
    const { Agent } = moduleFor(url, this.#modules);
    const options = { autoSelectFamilyAttemptTimeout: addressTimeoutMs, ...given };
    if (proxy === undefined) return new Agent(options);
    // Node's timeout for opening a tunnel is that of an idle socket.
    const ofProxy = { timeout: connectMs, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
    return directIfIntercepted(new Agent({ ...options, ...ofProxy }), new Agent(options));
  }
}

/**
 * Makes a proxied agent connect directly while a library such as MSW or nock intercepts connections, which replaces the own functions of
 * sockets. It would not see requests through a tunnel, so that a test would reach the paid service.
 */
function directIfIntercepted(proxied: Agent, direct: Agent): Agent {
  const open = proxied.createConnection.bind(proxied);
  const createConnection: Agent["createConnection"] = (options, callback) => {
    const socket = open(options, callback);
    if (!socket || !Object.hasOwn(socket, "connect")) return socket;
    socket.destroy();
    return direct.createConnection(options, callback);
  };
  return Object.assign(proxied, { createConnection });
}

/**
 * Calls back if a request has no established connection in time. The time in the queue of an agent without a free socket does not
 * count.
 *
 * @returns a function that stops the timeout
 */
export function limitConnecting(request: ClientRequest, onTimeout: (error: Error) => void): () => void {
  // The cast: agents of other libraries may not have all of Node's properties.
  const { requests = {} } = (request as { readonly agent?: Partial<Agent> }).agent ?? {};
  const isQueued = () => Object.values(requests).some((queue) => queue?.some((one) => (one as unknown) === request));
  let wasQueued = isQueued();
  const timer = setInterval(() => {
    const queued = isQueued();
    if (!queued && !wasQueued) onTimeout(new Error(`no connection within ${connectMs / 1_000} seconds`));
    wasQueued = queued;
  }, connectMs);
  return () => clearInterval(timer);
}

/**
 * Calls back once bytes may leave through a socket: it is connected, and the certificate is known to be good. Nothing is known of a
 * socket that another library made, so it is used at once.
 */
export function whenConnected(socket: Socket, { protocol }: URL, next: (error?: Error) => void): void {
  // The cast: only TLS sockets have these. In a tunnel they are the only sign that a session is not established yet.
  const { encrypted, secureConnecting } = socket as {
    readonly encrypted?: boolean;
    readonly secureConnecting?: boolean;
  };
  const isOfNode = socket.constructor === Socket || socket.constructor === TLSSocket;
  // If a proxy rejects a tunnel, an agent may pass on a plain socket. The key must not leave through it.
  if (protocol === "https:" && !encrypted) next(new Error("the agent opened no TLS session"));
  else if (isOfNode && secureConnecting) socket.once("secureConnect", () => next());
  else if (isOfNode && socket.connecting) socket.once("connect", () => next());
  else next();
}

/** Returns a URL's host, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns the name that a URL's certificate is for; none for an IP address. */
export function serverNameOf(url: URL): string {
  return isIP(hostOf(url)) ? "" : hostOf(url);
}
