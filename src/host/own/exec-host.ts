import type { OwnFiles, OwnHost, OwnRun, OwnStat, OwnWalls } from "../../core/ports/own-host.ts";
import { abortAfter } from "../../text/abort.ts";

/** What it takes to reach a machine by running programs there. */
export interface ExecHostOptions {
  readonly name: string;
  /** Default: `/root`. */
  readonly home?: string;
  readonly walls: OwnWalls | null;
  /** Runs a program there: `docker exec -i build-1 …`, `ssh … -- …` with each word quoted. It needs `sh` and the usual small programs, and bash for commands. */
  exec(argv: readonly [string, ...string[]], how: Omit<OwnRun, "cwd">): Promise<number>;
}

/** A host out of one function that runs programs on another machine. Files are read and written there, by `sh`, `cat`, `readlink` and their like. */
export function createExecHost({ name, home = "/root", walls, exec }: ExecHostOptions): OwnHost {
  const sh = async (script: string, path: string, stdin?: Uint8Array): Promise<Buffer | null> => {
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    const code = await exec(["sh", "-c", script, "sh", path], {
      signal: abortAfter(LONGEST_MS),
      ...(stdin && { stdin }),
      output: (chunk, stream) => void (stream === "stdout" ? out : err).push(Buffer.from(chunk)),
    });
    if (code === MISSING) return null;
    if (code !== 0) throw new Error(`${path} on ${name}: ${Buffer.concat(err).toString().trim().slice(0, 500) || `exit code ${code}`}`);
    return Buffer.concat(out);
  };
  const there = async (script: string, path: string): Promise<Buffer> => {
    const found = await sh(script, path);
    if (found === null) throw new Error(`${path} does not exist on ${name}.`);
    return found;
  };
  const files: OwnFiles = {
    realPath: async (path) => (await sh(`${IF_THERE} readlink -f "$1"`, path))?.toString().replace(/\n$/, "") ?? null,
    async stat(path) {
      const found = await sh(`${IF_THERE} f="$1"; ${KIND} if [ "$k" = file ]; then printf 'file '; wc -c < "$f"; else echo "$k"; fi`, path);
      const [kind, size] = found?.toString().trim().split(/\s+/) ?? [];
      return kind === undefined ? null : { kind: kindOf(kind), ...(size !== undefined && { size: Number(size) }) };
    },
    read: (path) => there(`${IF_THERE} cat "$1"`, path),
    async write(path, bytes) {
      await sh(
        't="$1.zeph-$$"; if [ -f "$1" ]; then cp -p "$1" "$t"; fi; cat > "$t" && mv -f "$t" "$1" || { rm -f "$t"; exit 1; }',
        path,
        bytes,
      );
    },
    async list(path) {
      const script = `${IF_THERE} for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do [ -e "$f" ] || [ -L "$f" ] || continue; ${KIND} printf '%s %s\\0' "$k" "\${f##*/}"; done`;
      const entries = (await there(script, path)).toString().split("\0").slice(0, -1);
      return entries.map((entry) => ({ kind: kindOf(entry.slice(0, entry.indexOf(" "))), name: entry.slice(entry.indexOf(" ") + 1) }));
    },
    makeFolder: async (path) => void (await sh('mkdir -p "$1"', path)),
    remove: async (path) => void (await sh('if [ -d "$1" ] && [ ! -L "$1" ]; then rmdir "$1"; else rm -f "$1"; fi', path)),
  };
  return {
    name,
    home,
    walls,
    files,
    run: (argv, { cwd, ...how }) => exec(["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", cwd, ...argv], how),
  };
}

/** How long a look at a file may take. */
const LONGEST_MS = 60_000;
/** The exit code of a script that found nothing. */
const MISSING = 44;
const IF_THERE = `[ -e "$1" ] || [ -L "$1" ] || exit ${MISSING};`;
const KIND = 'k=other; if [ -L "$f" ]; then k=symlink; elif [ -d "$f" ]; then k=dir; elif [ -f "$f" ]; then k=file; fi;';

const kindOf = (word: string): OwnStat["kind"] => (word === "dir" || word === "file" || word === "symlink" ? word : "other");
