// Not imported, because the kit is also for browsers.
const fs = () => process.getBuiltinModule("node:fs").promises;
const dirname = (path: string) => process.getBuiltinModule("node:path").dirname(path);
const join = (...names: string[]) => process.getBuiltinModule("node:path").join(...names);

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function namesIn(directory: string): readonly string[] {
  try {
    return process.getBuiltinModule("node:fs").readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

type Content = string | AsyncIterable<string | Uint8Array>;

/**
 * Writes a new file and makes sure that its bytes outlive a power failure; its name does once its
 * directory is synced.
 */
export async function writeDurably(path: string, content: Content, mode: number): Promise<void> {
  const file = await fs().open(path, "wx", mode);
  await file
    .writeFile(content)
    .then(() => file.sync())
    .finally(() => file.close());
}

/** Replaces a file once its new content is on the disk. If that fails, the old one stays. */
export async function replaceFile(
  path: string,
  content: Content,
  mode: number = 0o666,
): Promise<void> {
  const part = newPart(dirname(path));
  try {
    await writeDurably(part, content, mode);
    await fs().rename(part, path);
    await sync(dirname(path));
  } finally {
    await fs().rm(part, { force: true });
  }
}

/** Makes a directory, and makes sure that it and each one made above it outlive a power failure. */
export async function makeDurably(directory: string): Promise<void> {
  const first = await fs().mkdir(directory, { recursive: true, mode: 0o700 });
  for (let path = directory; first && path.length >= first.length && path !== dirname(path);) {
    path = dirname(path);
    await sync(path);
  }
}

/**
 * Makes sure that a directory's names, or with `r+` a file's bytes, outlive a power failure.
 * Windows keeps directories in sync itself.
 */
export async function sync(path: string, flag: "r" | "r+" = "r"): Promise<void> {
  const file = await fs()
    .open(path, flag)
    .catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT" && !(flag === "r" && process.platform === "win32"))
        throw error;
    });
  await file?.sync().finally(() => file.close());
}

/** Returns the path of a part: a file or a directory that has another name once it is complete. */
export function newPart(directory: string): string {
  return join(directory, `.${crypto.randomUUID()}.part`);
}

/** Removes the parts that killed processes have left: nothing is written so slowly. */
export async function removeParts(directory: string): Promise<void> {
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    const found =
      /^\.[\da-f-]{36}\.part$/.test(name) &&
      (await fs()
        .stat(path)
        .catch(() => undefined));
    if (found && Date.now() - found.mtimeMs > 3_600_000)
      await fs().rm(path, { recursive: true, force: true });
  }
}

/**
 * Gives a complete part its name, unless a file has it: link(2) then fails, which a rename does
 * not. Returns whether it has the name.
 */
export async function publish(part: string, path: string): Promise<boolean> {
  try {
    await fs()
      .link(part, path)
      .catch(async (error: unknown) => {
        // The file system has no hard links, such as that of a USB stick or a network share.
        if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(codeOf(error) ?? "")) throw error;
        await fs().copyFile(part, path, fs().constants.COPYFILE_EXCL);
        await sync(path, "r+");
      });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}
