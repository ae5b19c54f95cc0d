import { posix } from "node:path";
import type { Facts, ProtectedFile, Refusal } from "../../core/ports/facts.ts";
import type { OwnHost } from "../../core/ports/own-host.ts";
import type { WallsFacts } from "../../core/ports/walls.ts";
import { protectedPart } from "../../core/protected.ts";
import type { PathTouch } from "../../core/touch.ts";
import { isWithin } from "../../text/path.ts";
import type { FileConfig } from "../files/config.ts";
import { absolutePath, isProcessFile, readGlob } from "../files/paths.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import type { ScrapeConfig } from "../web/config.ts";
import { wallsOf } from "./own-walls.ts";

/** Where paths of a program's own machine lead by their letters alone. The files of that machine hold no other path: links are not followed. */
export interface OwnRules {
  readonly cwd: string;
  readonly facts: Facts & WallsFacts;
  resolve(written: string): string;
  judge(touch: PathTouch): Refusal | null;
}

export interface OwnRulesOptions {
  readonly machine: OwnHost;
  /** As it really lies on that machine. */
  readonly cwd: string;
  readonly file: FileConfig;
  readonly sandbox: SandboxConfig;
  readonly scrape: ScrapeConfig;
}

export function createOwnRules({ machine, cwd, file, sandbox, scrape }: OwnRulesOptions): OwnRules {
  const { name, home } = machine;
  const resolve = (written: string) => posix.normalize(absolutePath(written, cwd, home)).replace(/(?<=.)\/$/, "");
  const roots = file.allowed_paths.length > 0 ? file.allowed_paths.map(resolve) : [cwd];
  const read = (glob: string) => readGlob(glob, cwd, home, (written) => written);
  // It may be a file system that knows no case.
  const readLower = (glob: string) => readGlob(lower(glob), lower(cwd), lower(home), (written) => written);
  const denied = file.deny_read.map((glob) => ({ ...read(glob), matchesLower: readLower(glob).matches }));
  const allowed = file.allow_read.map(read);
  const hidden = (path: string): Refusal | null => {
    const hit = denied.find(({ matches, matchesLower }) => matches(path) || matchesLower(lower(path)));
    if (hit) return { rule: `deny_read ${hit.glob}`, why: `${path} may not be read: tools.file.deny_read lists "${hit.glob}".` };
    if (allowed.length === 0 || allowed.some(({ matches }) => matches(path))) return null;
    return { rule: "allow_read", why: `${path} may not be read: it matches nothing in tools.file.allow_read.` };
  };
  const judge = (touch: PathTouch): Refusal | null => {
    const path = resolve(touch.path);
    if (isProcessFile(path)) return { rule: "/proc", why: `${path} shows the inside of a running process and is never opened.` };
    if (!roots.some((root) => isWithin(root, path)))
      return {
        rule: "allowed_paths",
        why: `${path} lies outside the folders the file tools may use on ${name}: ${roots.join(", ")}. The setting is tools.file.allowed_paths.`,
      };
    if (touch.access === "delete" && roots.some((root) => isWithin(path, root)))
      return { rule: "allowed_paths", why: `${path} is a folder the file tools work in, or holds one. It may not be deleted or moved.` };
    // A folder may be listed; what is in it is judged by itself.
    return touch.access === "read" && !roots.some((root) => isWithin(path, root)) ? hidden(path) : null;
  };
  const changedBy = async (touches: readonly PathTouch[]): Promise<readonly ProtectedFile[]> =>
    touches.flatMap((touch) => {
      const path = resolve(touch.path);
      const part = touch.access === "read" ? null : protectedPart(path);
      return part ? [{ path, part }] : [];
    });
  const exposed = async (): Promise<string | null> => {
    if (!machine.walls) return null;
    if (denied.length + allowed.length > 0)
      return `The walls of ${name} do not keep commands from files that tools.file.deny_read or allow_read hides.`;
    return machine.walls.contained
      ? null
      : `The walls of ${name} do not keep commands from files that something outside runs or obeys later.`;
  };
  const walls = wallsOf(machine, sandbox);
  return {
    cwd,
    resolve,
    judge,
    facts: {
      cwd,
      home,
      canonical: resolve,
      entry: resolve,
      settled: resolve,
      // It is not looked: whatever is named may be there, and no folder is sure to be.
      exists: (path) => !path.endsWith("/."),
      unreadable: file.deny_read,
      protection: { changedBy, hidden: (path) => hidden(resolve(path)), exposed },
      access: judge,
      address: async (url) => (await import("../web/url.ts")).judgeUrl(url, scrape),
      walls: async () => walls,
    },
  };
}

const lower = (text: string) => text.toLowerCase();
