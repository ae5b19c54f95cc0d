/**
 * A machine that a program brings for the tools to act on, in place of this one: a container, a computer behind SSH, a memory. Experimental: it may
 * change with any version. Zeph judges each path before it hands it over; paths are absolute, without `.` and `..`.
 */
export interface OwnHost {
  /** How people know it: `docker build-1`. */
  readonly name: string;
  /** The home folder there: what `~` means. */
  readonly home: string;
  /** What stands around commands there. Null: nothing does, and each command is asked about. */
  readonly walls: OwnWalls | null;
  readonly files: OwnFiles;
  /** Runs a program to its end and resolves with its exit code. When the signal aborts, it and what it started are to be ended. */
  run(argv: readonly [string, ...string[]], how: OwnRun): Promise<number>;
}

/** The walls of a machine, in the program's own words. Zeph cannot try them. */
export interface OwnWalls {
  /** In words, for results and the audit log: `container without network`. */
  readonly name: string;
  readonly network: "open" | "closed";
  /** Whether nothing outside runs or obeys what is written there. False where a folder is shared with a machine that somebody works on. */
  readonly contained: boolean;
}

/** The files of such a machine. What is not there is null, and every other failure an error. */
export interface OwnFiles {
  /** Where a path really is, with every link in it followed; null when nothing is there. */
  realPath(path: string): Promise<string | null>;
  /** What lies there. The last link is not followed. */
  stat(path: string): Promise<OwnStat | null>;
  read(path: string): Promise<Uint8Array>;
  /** The whole file, at once as far as that can be; its folder is there. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  list(path: string): Promise<readonly (OwnStat & { readonly name: string })[]>;
  /** With all folders above it. */
  makeFolder(path: string): Promise<void>;
  /** A file, a link itself, or an empty folder. */
  remove(path: string): Promise<void>;
}

/** What lies at a path. */
export interface OwnStat {
  readonly kind: "dir" | "file" | "symlink" | "other";
  /** Bytes, of a file. */
  readonly size?: number;
}

/** How a program is run there. */
export interface OwnRun {
  readonly cwd: string;
  readonly stdin?: Uint8Array;
  readonly signal: AbortSignal;
  /** Called with what it prints, as it comes. */
  output(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
}
