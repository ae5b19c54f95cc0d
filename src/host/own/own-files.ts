import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { Files } from "../../core/ports/host.ts";
import type { OwnHost } from "../../core/ports/own-host.ts";
import type { PathTouch } from "../../core/touch.ts";
import { display, parentOf } from "../../text/path.ts";
import { assertText } from "../files/reading.ts";
import type { OwnRules } from "./own-rules.ts";

const MOST_BYTES = 10 * 1024 * 1024;

/** The file tools on a program's own machine. Each path is judged by its letters and then looked up there: one that really lies elsewhere is refused. */
export function createOwnFiles({ name, files }: Pick<OwnHost, "name" | "files">, rules: OwnRules): Files {
  const fail = (message: string) => new ToolError("permanent_failure", message);
  const shown = (path: string) => display(path, rules.cwd);

  /** Links are refused and not followed, so what the gates judged by its letters is what is acted on. */
  const assertReal = async (path: string): Promise<void> => {
    const real = await files.realPath(path);
    if (real === null) {
      if (path !== "/") await assertReal(parentOf(path));
    } else if (real !== path)
      throw new ToolError(
        "policy_blocked",
        `${shown(path)} is really ${real} on ${name}, and links are not followed there. Name the real path.`,
      );
  };
  const at = async (access: PathTouch["access"], written: string): Promise<string> => {
    const refusal = rules.judge({ kind: "path", access, path: written });
    if (refusal) throw new ToolError("policy_blocked", refusal.why);
    const path = rules.resolve(written);
    await assertReal(access === "delete" ? parentOf(path) : path);
    return path;
  };
  const bytesOf = async (path: string): Promise<Buffer> => {
    const stat = await files.stat(path);
    if (!stat) throw fail(`${shown(path)}: does not exist on ${name}.`);
    if (stat.kind !== "file") throw fail(`${shown(path)} is ${stat.kind === "dir" ? "a folder" : "no regular file"} on ${name}.`);
    if ((stat.size ?? 0) > MOST_BYTES) throw fail(`${shown(path)} is larger than ${MOST_BYTES} bytes, the most that is read from ${name}.`);
    const bytes = Buffer.from(await files.read(path));
    if (bytes.length > MOST_BYTES) throw fail(`${shown(path)} is larger than ${MOST_BYTES} bytes, the most that is read from ${name}.`);
    return bytes;
  };
  const textOf = async (path: string): Promise<string> => {
    const bytes = await bytesOf(path);
    assertText(bytes, shown(path));
    return bytes.toString("utf8");
  };
  const put = async (path: string, bytes: Buffer): Promise<void> => {
    await files.makeFolder(parentOf(path));
    await files.write(path, bytes);
  };
  const before = async (path: string): Promise<string | null | undefined> => {
    if ((await files.stat(path)) === null) return null;
    return textOf(path).catch(() => undefined);
  };

  return {
    async lines(_permit, written, { offset, limit }) {
      const path = await at("read", written);
      const text = await textOf(path);
      const all = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
      const lines = all.slice(offset - 1, offset - 1 + limit);
      const more = all.length > offset - 1 + limit;
      return { path, lines, cutLine: false, more, total: more ? null : all.length };
    },
    text: async (_permit, written) => textOf(await at("read", written)),
    async write(_permit, written, text) {
      const path = await at("write", written);
      const was = await before(path);
      const bytes = Buffer.from(text);
      await put(path, bytes);
      return { path, before: was, bytes: bytes.length };
    },
    async replace(_permit, written, from, to) {
      const path = await at("write", written);
      if ((await textOf(path)) !== from) throw fail(`${shown(path)} was changed on ${name} in the meantime. Read it again.`);
      const bytes = Buffer.from(to);
      await put(path, bytes);
      return { path, before: from, bytes: bytes.length };
    },
    async list(_permit, written) {
      const path = await at("read", written);
      if ((await files.stat(path))?.kind !== "dir") throw fail(`${shown(path)} is no folder on ${name}.`);
      return files.list(path);
    },
    async makeDirectory(_permit, written) {
      const path = await at("write", written);
      const found = await files.stat(path);
      if (found && found.kind !== "dir") throw fail(`${shown(path)} is there already on ${name}, and no folder.`);
      if (!found) await files.makeFolder(path);
      return { path, created: !found };
    },
    async remove(_permit, written) {
      const path = await at("delete", written);
      const found = await files.stat(path);
      if (!found) throw fail(`${shown(path)}: does not exist on ${name}.`);
      // What is in a folder was not judged.
      if (found.kind === "dir" && (await files.list(path)).length > 0)
        throw fail(
          `${shown(path)} is not empty, and folders are not removed with what is in them on ${name}. Remove that first, or use bash.`,
        );
      await files.remove(path);
      return { path, entries: 1 };
    },
    async move(permit, source, destination) {
      const { from, to } = await both(permit, "delete", source, destination);
      await put(to, await bytesOf(from));
      await files.remove(from);
      return { path: to };
    },
    async copy(permit, source, destination) {
      const { from, to } = await both(permit, "read", source, destination);
      await put(to, await bytesOf(from));
      return { path: to, entries: 1, skipped: [] };
    },
  };

  /** One file to a name that is not taken. It is read, so it has to be one that may be. */
  async function both(_permit: ApprovedCall, access: "read" | "delete", source: string, destination: string) {
    await at("read", source);
    const [from, to] = [await at(access, source), await at("write", destination)];
    if ((await files.stat(from))?.kind === "dir")
      throw fail(`${shown(from)} is a folder. Only files are copied and moved on ${name}; use bash.`);
    if (await files.stat(to)) throw fail(`${shown(to)} is there already on ${name}.`);
    return { from, to };
  }
}
