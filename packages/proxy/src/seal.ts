import type { Kind } from "@mediagen/sdk";

/** Seals the ids of tasks for one user each, so that no table of their owners is needed. */
export class Seal {
  readonly #secret: string;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns a task's id for the page of one user. */
  async close(user: string, kind: Kind, taskid: string): Promise<string> {
    const mac = new Uint8Array(
      await crypto.subtle.sign("HMAC", await this.#loadKey(), sealedBytes(user, kind, taskid)),
    );
    const text = btoa(String.fromCharCode(...mac))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
    return `${taskid}.${text}`;
  }

  /** Returns the task's id, or undefined if it was not sealed for this user. */
  async open(user: string, kind: Kind, sealed: string): Promise<string | undefined> {
    const [, taskid = "", text = ""] = /^(.+)\.([\w-]{43})$/s.exec(sealed) ?? [];
    const mac = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) =>
      one.charCodeAt(0),
    );
    const isOwn = await crypto.subtle.verify(
      "HMAC",
      await this.#loadKey(),
      mac,
      sealedBytes(user, kind, taskid),
    );
    return isOwn ? taskid : undefined;
  }

  /**
   * Imports the secret at the first request, because some runtimes allow no cryptography before.
   */
  #loadKey(): Promise<CryptoKey> {
    const bytes = new TextEncoder().encode(this.#secret);
    return (this.#key ??= crypto.subtle.importKey(
      "raw",
      bytes,
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign", "verify"],
    ));
  }
}

function sealedBytes(user: string, kind: Kind, taskid: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["task", user, kind, taskid]));
}
