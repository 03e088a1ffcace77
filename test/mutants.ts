/** One guard of money, time, keys or files, and what a careless edit would make of it: at least one test must fail then. */
export interface Mutant {
  /** The guard: code of packages/sdk/src that is found once, however it is spaced and wherever it is moved. */
  readonly guard: string;
  /** The file below packages/sdk/src, if the guard's code also occurs in others. */
  readonly file?: string;
  /** What stands there instead; empty if the guard is removed. */
  readonly becomes: string;
  /** What the guard promises. */
  readonly promise: string;
  /** The tests that must fail, below test/. */
  readonly tests: readonly string[];
}

/** The guards of the SDK, each without its effect: `npm run test:mutants` tries them in turn. */
export const mutants: readonly Mutant[] = [
  {
    guard: 'if (evidence === "never sent, bad certificate" || (paid && evidence === "unknown")) return undefined;',
    becomes: 'if (evidence === "never sent, bad certificate") return undefined;',
    promise: "what is not known to be unsent is not sent again",
    tests: ["sdk/sending"],
  },
  {
    guard: 'if (evidence === "never sent, bad certificate" || (paid && evidence === "unknown")) return undefined;',
    becomes: 'if ((paid && evidence === "unknown")) return undefined;',
    promise: "a bad certificate is told at once",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (!attempt.handedOver) return undefined;",
    becomes: "",
    promise: "a key that could not be had is not asked for again",
    tests: ["sdk/options"],
  },
  {
    guard: 'if (handedOver && generation && evidenceIn(given) === "unknown") {',
    becomes: "if (handedOver && generation && false) {",
    promise: "a generation whose answer is lost is of unknown outcome",
    tests: ["sdk/sending"],
  },
  {
    guard: 'if (handedOver && generation && evidenceIn(given) === "unknown") {',
    becomes: "if (handedOver && generation ) {",
    promise: "a generation that was not sent is told as such",
    tests: ["sdk/sending"],
  },
  {
    guard: 'lost ||= "cause" in tried || tried.answer.status >= 500;',
    becomes: "",
    promise: "a deletion refused after a lost answer says that it may have been done",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (key === emulatorKey && !isLoopback(new URL(request.url))) {",
    becomes: "if (false && !isLoopback(new URL(request.url))) {",
    promise: "the emulator's key goes nowhere else",
    tests: ["sdk/options"],
  },
  {
    guard: 'if (typeof key !== "string" || !/^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$/.test(key)) {',
    becomes: 'if (typeof key !== "string") {',
    promise: "a key that no header can carry is not shown",
    tests: ["sdk/options"],
  },
  {
    guard: "const wholeMs = paid ? timeouts.generateMs : Math.min(timeouts.callMs, patienceMs);",
    becomes: "const wholeMs = paid ? timeouts.generateMs : timeouts.callMs;",
    promise: "a check of a wait gives its slot back in time",
    tests: ["sdk/wait", "sdk/scheduler"],
  },
  {
    guard: "const deadline = new Deadline(time, wholeMs, tooLong, signal);",
    becomes: "const deadline = new Deadline(time, 2 ** 31, tooLong, signal);",
    promise: "a call has an end",
    tests: ["sdk/options"],
  },
  {
    guard: 'limit(timeouts.stallMs, "the answer stood still for");',
    becomes: "",
    promise: "an answer that stands still ends",
    tests: ["sdk/sending"],
  },
  {
    guard:
      'limit(timeouts.headersMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    becomes:
      'if (!whole) limit(timeouts.headersMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    promise: "an answer that does not begin ends",
    tests: ["sdk/sending", "faults/node-door"],
  },
  {
    guard:
      'limit(timeouts.headersMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    becomes:
      'if (whole) limit(timeouts.headersMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    promise: "an upload that stands still ends",
    tests: ["faults/node-door", "faults/matrix"],
  },
  {
    guard:
      'limit(timeouts.headersMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    becomes:
      'limit(timeouts.stallMs, whole ? "the request had left, and no answer began within" : "the upload stood still for");',
    promise: "a slow upload is none that stands still",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (cause instanceof InvalidRequestError) return { cause, hide, handedOver: false };",
    becomes: "",
    promise: "what is found before sending is the caller's to mend",
    tests: ["faults/node-door"],
  },
  {
    guard: "const cause = signal?.aborted && given === signal.reason ? given : hideInError(given, hide);",
    becomes: "const cause = given;",
    promise: "no error of a transport shows the key",
    tests: ["sdk/keys"],
  },
  {
    guard: 'return typeof apiKey === "function" ? orAbort(apiKey(), signal) : apiKey;',
    becomes: 'return typeof apiKey === "function" ? apiKey() : apiKey;',
    promise: "a key that does not come holds no call up",
    tests: ["sdk/options"],
  },
  {
    guard:
      "return { cause: deadline.passed && !(cause instanceof NeverSentError) ? deadline.signal.reason : cause, hide, handedOver };",
    becomes: "return { cause: deadline.passed ? deadline.signal.reason : cause, hide, handedOver };",
    promise: "what was not sent in time is known not to be sent",
    tests: ["faults/matrix"],
  },
  {
    guard: "throw signal.aborted ? signal.reason : withoutBytes(error);",
    becomes: "throw signal.aborted ? signal.reason : error;",
    promise: "nor by the raw client",
    tests: ["sdk/keys", "faults/matrix"],
  },
  {
    guard: "return (await transport(request, { paid: true, signal })).response();",
    becomes: "return (await transport(request, { paid: false, signal })).response();",
    promise: "what the raw client sends has a connection of its own",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (!lost || !isDeletion || !(error instanceof ServiceError)) throw error;",
    becomes: "if (!isDeletion || !(error instanceof ServiceError)) throw error;",
    promise: "a deletion that is refused at once is just refused",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (generation && !isSettled(status)) {",
    becomes: "if (false) {",
    promise: "a status that settles nothing leaves the outcome unknown",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (status === 408 || status === 409) return false;",
    becomes: "",
    promise: "408 and 409 settle nothing",
    tests: ["sdk/answers"],
  },
  {
    guard: "return (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 501;",
    becomes: "return (status >= 200 && status < 300) || (status >= 400 && status < 500);",
    promise: "501 is a refusal",
    tests: ["sdk/answers"],
  },
  {
    guard: "return (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 501;",
    becomes:
      "return status >= 500 || (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 501;",
    promise: "a server error settles nothing",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (!generation || taskidIn(envelope.data) !== undefined) return envelope.data;",
    becomes: "return envelope.data;",
    promise: "a success without a taskid is no task",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (Number.isSafeInteger(taskid)) return String(taskid);",
    becomes: 'if (typeof taskid === "number") return String(taskid);',
    promise: "a taskid that lost digits is none",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (generation) throw new OutcomeUnknownError(what, operation, generation, { answer });",
    becomes: "",
    promise: "an answer of another shape leaves the outcome unknown",
    tests: ["sdk/answers"],
  },
  {
    guard:
      "if (status < 200 || status > 299) throw new ServiceError(`the service refused${describeStatus(status)}`, operation, answer, envelope);",
    becomes: "",
    promise: "a refusal by status is one, whatever the body says",
    tests: ["sdk/answers"],
  },
  {
    guard: 'return typeof taskid === "string" && taskid !== "" ? taskid : undefined;',
    becomes: 'return typeof taskid === "string" ? taskid : undefined;',
    promise: "an empty taskid is none",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (!allowed || isCreditsOut(answer) || attempts > retries) return undefined;",
    becomes: "if (!allowed || attempts > retries) return undefined;",
    promise: "credits that are out are not asked for again",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (!allowed || isCreditsOut(answer) || attempts > retries) return undefined;",
    becomes: "if (!allowed || isCreditsOut(answer)) return undefined;",
    promise: "answers are asked for again only so often",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (!allowed || isCreditsOut(answer) || attempts > retries) return undefined;",
    becomes: "if (isCreditsOut(answer) || attempts > retries) return undefined;",
    promise: "a refusal is not sent again",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) return undefined;",
    becomes: "",
    promise: "a Retry-After of a month becomes no storm",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (budget < 1) return false;",
    becomes: "",
    promise: "a service that is down sees no storm",
    tests: ["sdk/sending"],
  },
  { guard: "budget--;", becomes: "", promise: "each retry costs", tests: ["sdk/sending"] },
  {
    guard: "const backoff = (attempts: number) => random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempts);",
    becomes: "const backoff = (attempts: number) => Math.min(longestDelayMs, firstDelayMs * 2 ** attempts);",
    promise: "who failed together does not come back together",
    tests: ["sdk/sending", "faults/matrix"],
  },
  {
    guard: "const backoff = (attempts: number) => random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempts);",
    becomes: "const backoff = (attempts: number) => random() * firstDelayMs * 2 ** attempts;",
    promise: "a pause has a cap",
    tests: ["sdk/sending"],
  },
  {
    guard: "afterFailure: (attempts, paid) => (attempts <= retries && spend(paid) ? backoff(attempts) : undefined)",
    becomes: "afterFailure: (attempts, paid) => (spend(paid) ? backoff(attempts) : undefined)",
    promise: "lost answers are asked for again only so often",
    tests: ["sdk/sending"],
  },
  {
    guard: "return after.includes(status) && (status !== 503 || retryAfterMs !== undefined);",
    becomes: "return after.includes(status);",
    promise: "503 without a Retry-After is not sent again",
    tests: ["sdk/sending"],
  },
  {
    guard: "return after.includes(status) && (status !== 503 || retryAfterMs !== undefined);",
    becomes: "return (status !== 503 || retryAfterMs !== undefined);",
    promise: "a generation is sent again after 421 and 425 only if the caller says so",
    tests: ["sdk/sending"],
  },
  {
    guard:
      "const allowed = paid ? mayResend(answer, resendGenerationAfter) : status === 429 || (status >= 500 && status !== 501 && !isEnvelope(answer));",
    becomes: "const allowed = status === 429 || (status >= 500 && status !== 501 && !isEnvelope(answer));",
    promise: "a generation is not retried as a query is",
    tests: ["sdk/sending"],
  },
  {
    guard: "succeeded: () => void (budget = Math.min(fullBudget, budget + budgetPerAnswer))",
    becomes: "succeeded: () => void (budget = budget + budgetPerAnswer)",
    promise: "a long good time saves up no storm",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (paid) return true;",
    becomes: "",
    promise: "a generation that was not sent needs no budget",
    tests: ["sdk/sending"],
  },
  {
    guard: "if (length > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);",
    becomes: "",
    promise: "an answer without an end is not read to it",
    tests: ["sdk/answers"],
  },
  {
    guard: "const date = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN;",
    becomes: "const date = Date.parse(header);",
    promise: "a number is no date",
    tests: ["sdk/answers"],
  },
  {
    guard: "return Number.isNaN(ms) ? undefined : Math.max(0, ms);",
    becomes: "return Number.isNaN(ms) ? undefined : ms;",
    promise: "a date gone by is now",
    tests: ["sdk/answers"],
  },
  {
    guard: "return Number.isNaN(ms) ? undefined : Math.max(0, ms);",
    becomes: "return Math.max(0, ms);",
    promise: "garbage is no Retry-After",
    tests: ["sdk/answers"],
  },
  {
    guard: "const shown = hide(text);",
    becomes: "const shown = text;",
    promise: "the text of an answer shows no key",
    tests: ["sdk/keys"],
  },
  {
    guard: "return { status, text: shown, json: shown === text ? json : hideIn(json, hide), retryAfterMs };",
    becomes: "return { status, text: shown, json: json, retryAfterMs };",
    promise: "nor does its JSON",
    tests: ["sdk/keys"],
  },
  {
    guard: 'const kept = new Set(["taskid", "url"]);',
    becomes: "const kept = new Set([]);",
    promise: "a task stays reachable whatever its id holds",
    tests: ["sdk/keys"],
  },
  {
    guard: 'return `(?:\\\\\\\\?${char.replace(/\\W/, "\\\\$&")}|\\\\\\\\u00${hex}|%${hex})`;',
    becomes: 'return `(?:\\\\\\\\?${char.replace(/\\W/, "\\\\$&")})`;',
    promise: "a key is hidden however it is spelled",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));",
    becomes: "",
    promise: "lists hide it too",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (hide(told) === told && isSame && isPlain) return error;",
    becomes: "if (isSame && isPlain) return error;",
    promise: "an error that holds the key is told without it",
    tests: ["sdk/keys"],
  },
  {
    file: "node/get.ts",
    guard: "refuseProxy(url, process.env);",
    becomes: "",
    promise: "nor does a download pass a proxy by",
    tests: ["faults/node-door"],
  },
  {
    guard: "return isDeeper(json, deepest) ? undefined : json;",
    becomes: "return json;",
    promise: "an answer has an end in depth too",
    tests: ["sdk/answers"],
  },
  {
    guard: "if (hide(told) === told && isSame && isPlain) return error;",
    becomes: "if (hide(told) === told && isSame) return error;",
    promise: "nor is what hangs on an error shown",
    tests: ["sdk/keys"],
  },
  {
    guard: "const cause = inner(error.cause);",
    becomes: "const cause = error.cause;",
    promise: "so are its causes",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (key !== last) [last, hide] = [key, createHide(key)];",
    becomes: "if (last === undefined) [last, hide] = [key, createHide(key)];",
    promise: "another key is hidden too",
    tests: ["sdk/keys"],
  },
  {
    guard: 'if (connectCodes.test(code) && syscall === "connect") return "never sent";',
    becomes: 'if (connectCodes.test(code)) return "never sent";',
    promise: "only while connecting does a time-out prove anything",
    tests: ["sdk/sending"],
  },
  {
    guard: 'return each.length > 0 && each.every((one) => one === "never sent") ? "never sent" : "unknown";',
    becomes: 'return each.length > 0 && each.some((one) => one === "never sent") ? "never sent" : "unknown";',
    promise: "every address must have been refused",
    tests: ["sdk/sending"],
  },
  {
    guard: 'return each.length > 0 && each.every((one) => one === "never sent") ? "never sent" : "unknown";',
    becomes: 'return each.every((one) => one === "never sent") ? "never sent" : "unknown";',
    promise: "no address proves nothing",
    tests: ["sdk/sending"],
  },
  {
    guard:
      'if (code === "ECONNRESET" && error.message.includes("before secure TLS connection was established")) return "never sent";',
    becomes: 'if (code === "ECONNRESET") return "never sent";',
    promise: "a reset proves nothing",
    tests: ["sdk/sending"],
  },
  {
    guard: 'if (lookUpCodes.test(code) && (syscall === "getaddrinfo" || syscall === undefined)) return "never sent";',
    becomes: "",
    promise: "a name that is not found was not reached",
    tests: ["sdk/sending"],
  },
  {
    guard: 'if (code === "UND_ERR_CONNECT_TIMEOUT") return "never sent";',
    becomes: "",
    promise: "a connect timeout sent nothing",
    tests: ["sdk/sending"],
  },
  {
    guard: "const fail = (cause: unknown) => reject(sent ? cause : neverSent(url, cause, request.socket));",
    becomes: "const fail = (cause: unknown) => reject(neverSent(url, cause, request.socket));",
    promise: "what fails later was perhaps sent",
    tests: ["faults/matrix"],
  },
  {
    guard: "const fail = (cause: unknown) => reject(sent ? cause : neverSent(url, cause, request.socket));",
    becomes: "const fail = (cause: unknown) => reject(cause);",
    promise: "what fails before was not",
    tests: ["faults/matrix"],
  },
  {
    guard: "sent = true;",
    becomes: "",
    promise: "what is handed to a socket counts as sent",
    tests: ["faults/matrix"],
  },
  {
    guard: "...(paid ? { createConnection: () => connect(url) } : { agent: poolOf(url) })",
    becomes: "...({ agent: poolOf(url) })",
    promise: "each generation has a connection of its own",
    tests: ["faults/node-door"],
  },
  {
    guard: 'if (paid) message.once("end", () => request.destroy());',
    becomes: "",
    promise: "which is closed after it",
    tests: ["faults/node-door", "faults/matrix"],
  },
  {
    guard:
      'if (encoding.trim().toLowerCase() !== "identity") throw new Error(`the answer is compressed (${encoding}), which was not asked for`);',
    becomes: "",
    promise: "a compressed answer, which may be cut unseen, is refused",
    tests: ["faults/matrix"],
  },
  {
    guard: 'socket.once(secure ? "secureConnect" : "connect", () => {',
    becomes: 'socket.once("connect", () => {',
    promise: "nothing is sent before TLS stands",
    tests: ["faults/matrix"],
  },
  {
    guard:
      "const timer = setTimeout(() => socket.destroy(new Error(`no connection stood within ${connectTimeoutMs} ms`)), Math.min(connectTimeoutMs, longestDelayMs));",
    becomes: "const timer = setTimeout(() => undefined, connectTimeoutMs);",
    promise: "a connection that does not come to stand ends",
    tests: ["faults/node-door"],
  },
  {
    guard: 'socket.once("close", () => clearTimeout(timer));',
    becomes: "",
    promise: "a connection that is gone holds no process",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (paid || !pools.has(url.origin)) refuseProxy(url, process.env);",
    becomes: "",
    promise: "a proxy is not passed by",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (body.pieces.length > 1) await checkFiles(body);",
    becomes: "",
    promise: "a file that has changed is not sent",
    tests: ["faults/node-door"],
  },
  {
    file: "node/transport.ts",
    guard: '"accept-encoding": "identity",',
    becomes: "",
    promise: "no compressed answer is asked for",
    tests: ["faults/matrix"],
  },
  {
    guard: 'message.once("end", () => (signal.aborted ? reject(signal.reason) : resolve()));',
    becomes: 'message.once("end", () => (resolve()));',
    promise: "an abort is not the end of an answer",
    tests: ["faults/matrix"],
  },
  {
    guard: 'if (!answered) fail(new Error("the connection closed without an answer"));',
    becomes: "",
    promise: "a connection that closes without an answer ends the call",
    tests: ["faults/matrix"],
  },
  {
    guard:
      'const badCertificate = socket !== null && "authorizationError" in socket && Boolean(socket.authorizationError);',
    becomes: "const badCertificate = false;",
    promise: "a bad certificate is not tried again",
    tests: ["faults/matrix"],
  },
  {
    guard:
      "if (status < 200 || status > 599) throw new Error(`the answer's status is ${status}, which HTTP does not have`);",
    becomes: "",
    promise: "a status that HTTP does not have is no answer",
    tests: ["faults/matrix"],
  },
  {
    file: "node/transport.ts",
    guard: 'signal.addEventListener("abort", abort, { once: true });',
    becomes: "",
    promise: "an abort ends the call at once",
    tests: ["faults/node-door"],
  },
  {
    guard: 'pool = new Agent({ keepAlive: true, maxSockets: poolSize, timeout: idleMs, scheduling: "lifo" });',
    becomes: 'pool = new Agent({ keepAlive: true, timeout: idleMs, scheduling: "lifo" });',
    promise: "queries take so many sockets and no more",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (standing.has(socket)) send();",
    becomes: "if (true) send();",
    promise: "nothing is sent before the connection stands",
    tests: ["faults/matrix"],
  },
  {
    guard: 'const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";',
    becomes: 'const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "follow";',
    promise: "no redirect is followed",
    tests: ["faults/matrix"],
  },
  {
    guard: 'if ("rawPacket" in one) delete one.rawPacket;',
    becomes: "",
    promise: "bytes that node's parser could not read are not shown",
    tests: ["faults/matrix"],
  },
  {
    guard: 'if (one.name === "HTTPParserError" && "data" in one) delete one.data;',
    becomes: "",
    promise: "nor what fetch's could not",
    tests: ["faults/matrix"],
  },
  {
    guard: "return arriving(await orAbort(sending, signal), signal);",
    becomes: "return arriving(await sending, signal);",
    promise: "a fetch that ignores the signal holds nobody up",
    tests: ["sdk/sending"],
  },
  {
    guard: "throw new Error(`the file of ${name} changed while it was sent`, { cause });",
    becomes: "return new ArrayBuffer(end - start);",
    promise: "a file that changes while it is sent cuts the request",
    tests: ["faults/node-door"],
  },
  {
    guard: 'return name.replace(/["\\r\\n]/g, (character) => ({ \'"\': "%22", "\\r": "%0D" })[character] ?? "%0A");',
    becomes: "return name;",
    promise: "a name does not end its header",
    tests: ["faults/node-door"],
  },
  {
    guard:
      "if (redirects >= redirectsAtMost) throw unusable(copy.address, `leads on more than ${redirectsAtMost} times`);",
    becomes: "",
    promise: "redirects of a result have an end",
    tests: ["sdk/download"],
  },
  {
    guard: "url = checked(location, url, allowPrivateHosts);",
    becomes: "url = new URL(location, url);",
    promise: "each redirect of a result is looked at",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (from?.protocol === "https:" && url.protocol === "http:") throw unusable(address, "leads from https to http");',
    becomes: "",
    promise: "no redirect leads from https to http",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (!allowPrivateHosts && isPrivate(url)) throw unusable(address, "is on this machine or in a private network (allowPrivateHosts says otherwise)");',
    becomes: "",
    promise: "no result leads into a private network",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (url.protocol !== "https:" && url.protocol !== "http:") throw unusable(address, "is neither http nor https");',
    becomes: "",
    promise: "a result comes by http or https",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (Math.max(copy.bytes, totalBytes ?? 0) > maxBytes) throw final(new ServiceError(`the result is larger than ${maxBytes} bytes`, "download", { status, text: "" }));',
    becomes: "",
    promise: "a result has a limit",
    tests: ["sdk/download"],
  },
  {
    guard:
      "if (totalBytes !== undefined && copy.bytes < totalBytes) throw new Error(`the result ended after ${copy.bytes} of ${totalBytes} bytes`);",
    becomes: "",
    promise: "a short result is not whole",
    tests: ["sdk/download"],
  },
  {
    guard:
      "if (deadline.passed && error === deadline.signal.reason) throw new WaitTimeoutError(task, timeoutMs, lastError);",
    becomes: "if (deadline.passed) throw new WaitTimeoutError(task, timeoutMs, lastError);",
    promise: "a failed task is told as failed, however late its listener is done",
    tests: ["sdk/wait"],
  },
  {
    guard: "if (known !== undefined && !states.includes(known)) {",
    becomes: "if (false) {",
    promise: "another word than a state ends no task",
    tests: ["sdk/wait"],
  },
  {
    guard: 'const totalBytes = /^\\d+$/.test(total ?? "") ? Number(total) : undefined;',
    becomes: "const totalBytes = total === null || total === undefined ? undefined : Number(total);",
    promise: "a length that is no number lifts no limit",
    tests: ["sdk/download"],
  },
  {
    guard: 'message.once("end", () => (signal.aborted ? controller.error(signal.reason) : controller.close()));',
    becomes: 'message.once("end", () => controller.close());',
    promise: "nor is it that of the raw client's",
    tests: ["faults/node-door"],
  },
  {
    guard: 'if (copy.bytes === 0) throw new Error("the result is empty");',
    becomes: "",
    promise: "an empty answer is no result",
    tests: ["faults/matrix"],
  },
  {
    guard:
      'if (copy.bytes === 0 && type === "text/html" && read.value[0] === startOfPage) throw new Error("a page of HTML came instead of the result");',
    becomes: "",
    promise: "a page is no result",
    tests: ["faults/matrix"],
  },
  {
    guard:
      'const isRest = status === 206 && copy.bytes > 0 && headers.get("content-range")?.startsWith(`bytes ${copy.bytes}-`);',
    becomes: "const isRest = status === 206 && copy.bytes > 0;",
    promise: "only the rest goes on from where it broke off",
    tests: ["sdk/download"],
  },
  {
    guard:
      'const isRest = status === 206 && copy.bytes > 0 && headers.get("content-range")?.startsWith(`bytes ${copy.bytes}-`);',
    becomes: 'const isRest = status === 206 && headers.get("content-range")?.startsWith(`bytes ${copy.bytes}-`);',
    promise: "a part is not the whole",
    tests: ["faults/matrix"],
  },
  {
    guard: 'if (copy.etag) headers["if-range"] = copy.etag;',
    becomes: "",
    promise: "the rest of another file is not taken",
    tests: ["sdk/download"],
  },
  {
    guard: 'copy.resumable = (headers.get("content-encoding") ?? "identity") === "identity";',
    becomes: "copy.resumable = true;",
    promise: "a compressed result is not gone on with",
    tests: ["sdk/download"],
  },
  {
    guard: "if (expired.includes(response.status) && !copy.renewed) {",
    becomes: "if (false) {",
    promise: "an address that has expired is renewed",
    tests: ["sdk/download"],
  },
  {
    guard: "await kept(() => sink.restart());",
    becomes: "",
    promise: "what comes anew begins anew",
    tests: ["sdk/download"],
  },
  {
    guard: "throw final(error);",
    becomes: "throw error;",
    promise: "a disk that fails is not asked for again",
    tests: ["sdk/download"],
  },
  {
    guard: "void (response && (reader ?? response.body))?.cancel().catch(() => undefined);",
    becomes: "",
    promise: "a result that is not wanted holds no connection",
    tests: ["faults/matrix"],
  },
  {
    guard: 'const headers: Record<string, string> = { "accept-encoding": "identity" };',
    becomes: "const headers: Record<string, string> = {  };",
    promise: "no compressed result is asked for",
    tests: ["faults/matrix"],
  },
  {
    guard: "const stall = new Deadline(context.time, stallTimeoutMs, stalled, signal);",
    becomes: "const stall = new Deadline(context.time, 2 ** 31, stalled, signal);",
    promise: "a result that stands still ends",
    tests: ["faults/matrix"],
  },
  {
    guard:
      "const whole = new Deadline(time, timeoutMs, () => new Error(`the result took longer than ${timeoutMs} ms`), signal);",
    becomes:
      "const whole = new Deadline(time, 2 ** 31, () => new Error(`the result took longer than ${timeoutMs} ms`), signal);",
    promise: "a result has an end",
    tests: ["sdk/download"],
  },
  {
    guard: "if (error instanceof Final) throw error.cause;",
    becomes: "if (error instanceof Final) throw error;",
    promise: "what another attempt would meet again is not tried again",
    tests: ["sdk/download"],
  },
  {
    guard: "if (!options.overwrite) await Promise.all(done.map(({ path }) => rm(path, { force: true })));",
    becomes: "",
    promise: "all results are there at the end, or none",
    tests: ["sdk/download"],
  },
  { guard: "await rm(part, { force: true });", becomes: "", promise: "no part file is left", tests: ["faults/matrix"] },
  {
    guard: "if (overwrite) return rename(part, path);",
    becomes: "return rename(part, path);",
    promise: "no file is overwritten unasked",
    tests: ["sdk/download"],
  },
  {
    guard:
      'return { folder, name: name?.replace(/[^\\p{L}\\p{N}_.-]|^\\./gu, "_") ?? taskid.replace(/[^\\w-]/g, "_"), extension: undefined };',
    becomes: "return { folder, name: name ?? taskid, extension: undefined };",
    promise: "a taskid does not lead out of the folder",
    tests: ["sdk/download"],
  },
  {
    guard: '[hash, bytes, head] = [createHash("sha256"), 0, new Uint8Array()];',
    becomes: "[bytes, head] = [0, new Uint8Array()];",
    promise: "the digest is of what is on disk",
    tests: ["sdk/download"],
  },
  {
    guard: "if (addresses.some(({ address }) => isPrivateAddress(address))) {",
    becomes: "if (false) {",
    promise: "a name that leads into a private network is not called",
    tests: ["sdk/download"],
  },
  {
    guard: "const options = { headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: lookUpPublic(url) }) };",
    becomes: "const options = { headers, signal, agent: false,  };",
    promise: "names are looked at where they are looked up",
    tests: ["sdk/download"],
  },
  {
    guard: "if (statusCode < 200 || statusCode > 599) return fail(new Error(`there is no HTTP status ${statusCode}`));",
    becomes: "",
    promise: "a status that HTTP does not have ends no process",
    tests: ["faults/matrix"],
  },
  {
    guard: '.once("close", () => reject(new Error("the connection closed without an answer")))',
    becomes: "",
    promise: "a connection that closes without an answer ends the attempt",
    tests: ["faults/matrix"],
  },
  {
    guard: 'return fail(unusable(url.href, "answers compressed although it was not asked to"));',
    becomes: "",
    promise: "a compressed result, which may be cut unseen, is refused",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (username || password || /[?#]/.test(href)) throw fail("more than an address", "an address without user, password, query or fragment");',
    becomes: "",
    promise: "a base URL holds no password",
    tests: ["sdk/options"],
  },
  {
    guard: 'if (protocol === "http:" && !allowHttp && !isLoopback(url)) {',
    becomes: "if (false) {",
    promise: "a key does not go over plain http",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (meant || !isBrowser()) return;",
    becomes: "return;",
    promise: "a browser is refused",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (a === 0 || a === 10 || a === 127) return true;",
    becomes: "",
    promise: "this machine and 10/8 are private",
    tests: ["sdk/download"],
  },
  {
    guard: "(a === 192 && b === 168)",
    becomes: "false",
    promise: "so are 100.64/10, 169.254/16, 172.16/12 and 192.168/16",
    tests: ["sdk/download"],
  },
  {
    guard: 'if (mapped) return isPrivateAddress(mapped.includes(".") ? mapped : fromHex(mapped));',
    becomes: "",
    promise: "so they are in IPv6 clothes",
    tests: ["sdk/download"],
  },
  {
    guard: 'if (address.includes(":")) return /^(::1?$|f[cd]|fe[89ab])/i.test(address);',
    becomes: 'if (address.includes(":")) return false;',
    promise: "so are IPv6's own",
    tests: ["sdk/download"],
  },
  {
    guard: 'if (name === undefined || isLoopback(url) || isExcepted(url, read("NO_PROXY") ?? "")) return;',
    becomes: "if (name === undefined || isLoopback(url)) return;",
    promise: "NO_PROXY excepts",
    tests: ["faults/node-door"],
  },
  {
    guard: "if (taken < limit) return enter();",
    becomes: "return enter();",
    promise: "so many generations are on their way and no more",
    tests: ["sdk/generating"],
  },
  {
    guard: 'signal?.addEventListener("abort", abort, { once: true });',
    becomes: "",
    promise: "an abort in the queue ends the call",
    tests: ["sdk/generating"],
  },
  {
    guard: "await beforeGenerate?.(form, { kind, model });",
    becomes: "",
    promise: "beforeGenerate may veto",
    tests: ["sdk/generating"],
  },
  {
    guard: "await beforeGenerate?.(form, { kind, model });",
    becomes: "void beforeGenerate?.(form, { kind, model });",
    promise: "and is awaited",
    tests: ["sdk/generating"],
  },
  {
    file: "client/generate.ts",
    guard: "signal?.throwIfAborted();",
    becomes: "",
    promise: "a call aborted in its turn is not noted as sent",
    tests: ["sdk/journal"],
  },
  {
    file: "client/generate.ts",
    guard: "leave();",
    becomes: "",
    promise: "a place is given back",
    tests: ["sdk/generating"],
  },
  {
    guard: 'if (once !== undefined && (!book || typeof once !== "string" || once === "")) {',
    becomes: 'if (false && (!book || typeof once !== "string" || once === "")) {',
    promise: "a key without a journal is refused",
    tests: ["sdk/once"],
  },
  {
    guard: 'if (entry.type !== "lease") missing.add(entry);',
    becomes: "",
    promise: "an entry that could not be appended is appended later",
    tests: ["sdk/journal"],
  },
  {
    guard: "refuseOther(found.intent, await factsOf());",
    becomes: "",
    promise: "a key stands for one generation",
    tests: ["sdk/once"],
  },
  {
    guard: "if (found.task) return found.task;",
    becomes: "",
    promise: "the same key gives the same task",
    tests: ["sdk/once"],
  },
  {
    guard: "if (!isUnderWay(found)) throw new OutcomeUnknownError(whyUnknown(found), operation, found.intent, {});",
    becomes: "",
    promise: "a key of unknown outcome is not sent again",
    tests: ["sdk/once"],
  },
  {
    guard: "if (!isUnderWay(found)) throw new OutcomeUnknownError(whyUnknown(found), operation, found.intent, {});",
    becomes: "throw new OutcomeUnknownError(whyUnknown(found), operation, found.intent, {});",
    promise: "a key that is under way is waited for",
    tests: ["sdk/once"],
  },
  {
    guard: 'await log.append({ type: "intent", id, at, ...facts, owner, until: at + leaseMs });',
    becomes: "",
    promise: "nothing is sent without a line that tells of it",
    tests: ["sdk/journal"],
  },
  {
    guard: "if (facts.once !== undefined && !(await isFirst(id, facts.once))) {",
    becomes: "if (facts.once !== undefined && false) {",
    promise: "of two with one key the first is sent",
    tests: ["sdk/once", "sdk/killed"],
  },
  {
    guard:
      'if (error instanceof OutcomeUnknownError) await leave({ type: "unknown", id, at: time.now(), why: error.why });',
    becomes: 'if (false) await leave({ type: "unknown", id, at: time.now(), why: error.message });',
    promise: "an unknown outcome is noted as such",
    tests: ["sdk/journal"],
  },
  {
    guard: 'await leave({ type: "created", id, at: time.now(), task });',
    becomes: "",
    promise: "a task is noted",
    tests: ["sdk/journal"],
  },
  {
    guard:
      'if (model !== facts.model || kind !== facts.kind) throw fail("another model", `${model}, which it was first used with`);',
    becomes: "",
    promise: "a key stands for one model",
    tests: ["sdk/once"],
  },
  {
    guard:
      'if (digest && facts.digest && digest !== facts.digest) throw fail("another form", "the form that it was first used with, or a new key");',
    becomes: "",
    promise: "a key stands for one form",
    tests: ["sdk/once"],
  },
  {
    guard: 'if (isUnderWay(found)) throw refuse("id", describeValue(id), "a generation that is not under way");',
    becomes: "",
    promise: "what is under way is not settled by hand",
    tests: ["sdk/journal"],
  },
  {
    guard:
      'if (found.task) throw refuse("resolution", describeValue(taskid ?? resolution), `nothing: it is known to be the task ${found.task.taskid}`);',
    becomes: "",
    promise: "a known task is not settled otherwise",
    tests: ["sdk/journal"],
  },
  {
    guard: 'if (!first) throw new Error("the journal does not give back what was appended to it");',
    becomes: "return true;",
    promise: "a journal that forgets sends nothing",
    tests: ["sdk/journal", "sdk/once"],
  },
  {
    guard: 'await note({ type: "lease", owner, until: time.now() + leaseMs });',
    becomes: "await Promise.resolve();",
    promise: "who is alive says so",
    tests: ["sdk/journal", "sdk/once"],
  },
  {
    guard: "const keyOf = (origin: string, once: string) => JSON.stringify([origin, once]);",
    becomes: "const keyOf = (_: string, once: string) => JSON.stringify([once]);",
    promise: "a key is of one service",
    tests: ["sdk/once", "sdk/journal"],
  },
  {
    guard: "await time.sleep(Math.min(leftMs, leaseMs) + pollMs, signal ?? new AbortController().signal);",
    becomes: "",
    promise: "who may have just ended is waited for",
    tests: ["sdk/journal"],
  },
  {
    guard: 'if (!found || found.state === "created") continue;',
    becomes: "if (!found) continue;",
    promise: "nothing takes back that a task was created",
    tests: ["sdk/journal"],
  },
  {
    guard: 'return state === "not created" ? byHand === true : end === undefined || intent.once !== undefined;',
    becomes: 'return state === "not created" ? byHand === true : end === undefined;',
    promise: "a key is not forgotten",
    tests: ["sdk/journal", "sdk/file-journal", "sdk/once"],
  },
  {
    guard: 'return state === "not created" ? byHand === true : end === undefined || intent.once !== undefined;',
    becomes: 'return state === "not created" ? byHand === true : false || intent.once !== undefined;',
    promise: "a task that has not ended is not forgotten",
    tests: ["sdk/journal", "sdk/file-journal"],
  },
  {
    guard: "if (seen.offset === 0) await refuseOther(file, path);",
    becomes: "",
    promise: "no other file is written to",
    tests: ["sdk/file-journal"],
  },
  {
    guard: 'if (value["at"] === at) seen.movedTo = String(value["to"]);',
    becomes: 'seen.movedTo = String(value["to"]);',
    promise: "a file is left only where all of it was taken over",
    tests: ["sdk/file-journal"],
  },
  {
    guard: 'await write(file, `${size > seen.offset ? "\\n" : ""}${header}${left.join("\\n")}\\n`);',
    becomes: 'await write(file, `${false ? "\\n" : ""}${header}${left.join("\\n")}\\n`);',
    promise: "after a line that was cut off comes a fresh one",
    tests: ["sdk/file-journal"],
  },
  {
    guard: "const openIt = () => open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);",
    becomes: "const openIt = () => open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);",
    promise: "a journal is for its owner alone",
    tests: ["sdk/file-journal"],
  },
  {
    guard: 'if (value["version"] !== 1) throw new Error("the journal is of a later version, which would be misread");',
    becomes: "",
    promise: "a later version is not misread",
    tests: ["sdk/file-journal"],
  },
  {
    guard: "if (!(await isSame(file, seen))) {",
    becomes: "if (false) {",
    promise: "a file that was replaced is read anew",
    tests: ["sdk/file-journal"],
  },
  {
    guard: "reader.restart();",
    becomes: "",
    promise: "what another file held is forgotten",
    tests: ["sdk/file-journal"],
  },
  {
    guard: 'if (pid === undefined || lives(pid)) return { type: "lease", owner, until };',
    becomes: 'return { type: "lease", owner, until };',
    promise: "nobody waits for the dead",
    tests: ["sdk/file-journal"],
  },
  {
    guard:
      'if ("owner" in entry) leases.set(entry.owner, { until: entry.until, pid: entry.host === here ? entry.pid : undefined });',
    becomes: 'if ("owner" in entry) leases.set(entry.owner, { until: entry.until, pid: entry.pid });',
    promise: "only processes of this machine are known to be dead",
    tests: ["sdk/file-journal"],
  },
  {
    guard: "places.set(key, [...(places.get(key) ?? []), at]);",
    becomes: "places.set(key, [at]);",
    promise: "a key finds all that was noted of it",
    tests: ["sdk/file-journal"],
  },
  {
    guard: "if (!first || first.owner === owner) return;",
    becomes: "return;",
    promise: "a folder is one run's at a time",
    tests: ["batch/batch"],
  },
  {
    guard: "await release().catch(() => undefined); // It runs out by itself.",
    becomes: "",
    promise: "a folder is free once its run has ended",
    tests: ["batch/batch"],
  },
  {
    guard: 'if (owner !== "") await release();',
    becomes: "",
    promise: "a disk that stands still does not make a batch its own rival",
    tests: ["batch/hold"],
  },
  {
    guard: "if (Date.now() <= until) until = next;",
    becomes: "until = next;",
    promise: "a folder that another run took meanwhile is not held on to",
    tests: ["batch/hold"],
  },
  {
    guard: 'if (why === "credits" || (error instanceof ServiceError && error.status === 401)) return true;',
    becomes: "",
    promise: "a batch whose key is revoked sends no more",
    tests: ["batch/batch"],
  },
  {
    guard: 'return (why !== "unknown" && counts.generated === 0) || turnedAway > concurrency;',
    becomes: "return turnedAway > concurrency;",
    promise: "a batch whose first line is turned away sends no more",
    tests: ["batch/batch"],
  },
  {
    guard: 'return (why !== "unknown" && counts.generated === 0) || turnedAway > concurrency;',
    becomes: 'return why !== "unknown" && counts.generated === 0;',
    promise: "a batch whose outcomes are unknown sends no more",
    tests: ["batch/batch"],
  },
  {
    guard: "if (line.issues || prints[index++] !== printOf(line)) {",
    becomes: "if (line.issues) {",
    promise: "an input that changes is noticed",
    tests: ["batch/batch"],
  },
  {
    guard:
      "if (deadline.passed && error === deadline.signal.reason) throw new WaitTimeoutError(task, timeoutMs, lastError);",
    becomes: "",
    promise: "a wait's end carries the task",
    tests: ["sdk/wait"],
  },
  {
    guard: "refusals = isRefusal(error) && host.steady() >= pace.settledAt ? refusals + 1 : 0;",
    becomes: "refusals = isRefusal(error) ? refusals + 1 : 0;",
    promise: "a young task may be unknown yet",
    tests: ["sdk/wait"],
  },
  {
    guard: "if (isRefusal(error) && refusals >= refusalsAtMost) throw refusedWait(task, error);",
    becomes: "",
    promise: "a task that is refused for good ends the wait",
    tests: ["sdk/wait"],
  },
  {
    guard: "const latest = host.steady() < lastLook ? lastLook : Infinity;",
    becomes: "const latest = Infinity;",
    promise: "it is looked once more before the deadline",
    tests: ["sdk/wait"],
  },
  {
    guard: 'if (record && state === "failed") throw new TaskFailedError(task, record);',
    becomes: "",
    promise: "a failed task ends the wait",
    tests: ["sdk/wait"],
  },
  {
    guard: 'checkNumbers("wait: there is no such deadline", { timeoutMs }, ["timeoutMs"]);',
    becomes: "",
    promise: "a deadline that is none is refused",
    tests: ["sdk/wait", "sdk/settle"],
  },
  {
    guard:
      'checkNumbers("createMediaGen: there is no client", options, ["timeoutMs", "generateTimeoutMs", "headersTimeoutMs", "stallTimeoutMs", "connectTimeoutMs", "retries"]);',
    becomes: "",
    promise: "a limit that is none is refused",
    tests: ["sdk/options"],
  },
  {
    guard: 'checkNumbers("download: nothing was fetched", options, ["maxBytes", "stallTimeoutMs", "timeoutMs"]);',
    becomes: "",
    promise: "a limit of a result that is none is refused",
    tests: ["sdk/options"],
  },
  {
    guard: "if (told instanceof Promise) told.catch(failed);",
    becomes: "",
    promise: "an async listener ends no process",
    tests: ["sdk/events"],
  },
  {
    guard: "const one: unknown = Array.isArray(value) ? [...value] : value;",
    becomes: "const one: unknown = value;",
    promise: "the lists that were checked are sent",
    tests: ["sdk/generating"],
  },
  {
    guard: "if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;",
    becomes: "",
    promise: "what is not the service's ends the wait",
    tests: ["sdk/wait"],
  },
  {
    guard: "if (due > until) next.value.lane.line.move(next, nextLook(due, until));",
    becomes: "if (false) next.value.go();",
    promise: "a query that others have seen to be too early waits",
    tests: ["sdk/scheduler"],
  },
  {
    guard: "this.#durations.sawUnfinished(this.#unfinishedAt, age);",
    becomes: "",
    promise: "tasks that are unfinished spare others their queries",
    tests: ["sdk/scheduler"],
  },
  {
    guard: "while (sound.inFlight + suspect.inFlight < most) {",
    becomes: "while (true) {",
    promise: "so many queries are in flight and no more",
    tests: ["sdk/scheduler"],
  },
  {
    guard: "const suspect = createLane(Math.ceil(most / 2));",
    becomes: "const suspect = createLane(most);",
    promise: "sick tasks hold no sound one back",
    tests: ["sdk/scheduler"],
  },
  {
    guard: "const done = count >= results || (count > 0 && checks >= checksOfPartialResult);",
    becomes: "const done = count >= results || (count > 0);",
    promise: "fewer results than asked for may be late",
    tests: ["sdk/wait", "sdk/task"],
  },
  {
    guard: "issues.push(unknownField(field, one, fields));",
    becomes: "",
    promise: "a typo is not paid for",
    tests: ["sdk/fields"],
  },
  {
    guard: "if (known?.files && isPath(one)) {",
    becomes: "if (false) {",
    promise: "a path is not sent as text",
    tests: ["sdk/fields"],
  },
  {
    guard: 'if (typeof value === "string" && halfPair.test(value)) {',
    becomes: "if (false) {",
    promise: "half a character is not sent",
    tests: ["sdk/fields"],
  },
  {
    guard:
      'expect("origin", saved?.origin === origin, `${origin}, this client\'s origin (change it if both reach the same service)`);',
    becomes: "",
    promise: "a task of another service is refused",
    tests: ["sdk/task"],
  },
  {
    guard: "refuseBrowser(options.allowBrowser ?? false);",
    becomes: "",
    promise: "in a browser there is no client",
    tests: ["sdk/keys"],
  },
  {
    guard: "if (issues.length > 0) throw new InvalidRequestError(`${subject}: nothing was sent`, issues);",
    becomes: "",
    promise: "a wrong form is not sent",
    tests: ["sdk/fields"],
  },
  {
    guard: "const own = { until: Math.min(first.at, now + longestDelayMs), stop: new AbortController() };",
    becomes: "const own = { until: first.at, stop: new AbortController() };",
    promise: "a delay past the timer's range does not fire at once",
    tests: ["sdk/wait"],
  },
  {
    guard: 'const total = isRest ? /\\/(\\d+)$/.exec(headers.get("content-range") ?? "")?.[1] : length;',
    becomes: "const total = isRest && length !== null ? copy.bytes + Number(length) : length;",
    promise: "a rest that is short is not all of it",
    tests: ["sdk/download"],
  },
  {
    guard:
      'if (deadline.passed && !handedOver) return { cause: new NeverSentError("no key came, and nothing was sent", deadline.signal.reason), hide, handedOver };',
    becomes: "",
    promise: "a key that does not come is told as such",
    tests: ["sdk/options"],
  },
  {
    guard: 'if (!onEvent && event.type === "journalFailed") console.error(`mediagen: ${event.type}`, event);',
    becomes: "",
    promise: "a failure that nobody listens for is on the console",
    tests: ["sdk/journal", "sdk/events"],
  },
  {
    guard: "for (const wait of waits) wait.abort();",
    becomes: "",
    promise: "leaving the loop ends the waits",
    tests: ["sdk/settle"],
  },
  {
    guard: 'if (!type?.startsWith("image/")) throw notAnImage(source, "bytes that start as no known image does");',
    becomes: "",
    promise: "what is no image is not sent",
    tests: ["sdk/file-from"],
  },
  {
    guard: 'if (typeof source === "string" && /^https?:/i.test(source)) {',
    becomes: "if (false) {",
    promise: "an address is no file",
    tests: ["sdk/file-from"],
  },
];
