import { outline } from "../../../shell/outline.ts";

type Stream = "stdout" | "stderr";
type Print = (bytes: Uint8Array, stream: Stream) => void;

/** Where what a command prints goes. */
export interface ExecOutput {
  add(bytes: Buffer, stream: Stream): void;
  /** Null where everything was handed on as it came; otherwise what was held, to be shortened as a whole. */
  end(): Readonly<Record<Stream, Buffer>> | null;
}

const MOST_HELD = 4 * 1024 * 1024;

/**
 * Whether the output may be shortened: that of one plain command. Where there is a pipe or a redirection somebody has said already what is to be
 * seen, and a program may read it.
 */
export function mayShorten(command: string): boolean {
  const [only, ...others] = outline(command) ?? [];
  if (!only || others.length > 0) return false;
  const { stages, quiet } = only;
  // What stands apart from the words of the only stage is a redirection, an assignment or worse.
  return !quiet && stages.length === 1 && stages[0]!.text.trim() === command.trim();
}

/** Holds an output that may be shortened until its end, as long as it is not too long; any other goes on line by line, without secrets. */
export function createExecOutput(how: "held" | "passed on", redact: (text: string) => string, print: Print): ExecOutput {
  const held: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  const lines = {
    stdout: createRedactedLines(redact, (bytes) => print(bytes, "stdout")),
    stderr: createRedactedLines(redact, (bytes) => print(bytes, "stderr")),
  };
  let bytes = 0;
  let isHeld = how === "held";
  return {
    add(chunk, stream) {
      if (!isHeld) return lines[stream].add(chunk);
      held[stream].push(chunk);
      bytes += chunk.length;
      if (bytes <= MOST_HELD) return;
      isHeld = false;
      for (const name of ["stdout", "stderr"] as const) for (const one of held[name].splice(0)) lines[name].add(one);
    },
    end() {
      if (isHeld) return { stdout: Buffer.concat(held.stdout), stderr: Buffer.concat(held.stderr) };
      lines.stdout.end();
      lines.stderr.end();
      return null;
    },
  };
}

const NEWLINE = 0x0a;
/** A secret of several lines is not longer; a line that is longer is handed on in pieces. */
const MOST_OPEN = 64 * 1024;
const BEGIN = /-----BEGIN [^-\n]*-----(?![\s\S]*-----END )/;

/** Byte for byte as it came, but for secrets: each byte is read as one character, and those of secrets are the same in every alphabet. */
function createRedactedLines(redact: (text: string) => string, write: (bytes: Buffer) => void) {
  let open: Buffer = Buffer.alloc(0);
  const send = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    const text = bytes.toString("latin1");
    const safe = redact(text);
    write(safe === text ? bytes : Buffer.from(safe, "latin1"));
  };
  return {
    add(chunk: Buffer) {
      open = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
      const end = open.lastIndexOf(NEWLINE) + 1;
      const whole = open.subarray(0, end);
      const isInside = whole.length < MOST_OPEN && BEGIN.test(whole.toString("latin1"));
      const upTo = isInside ? 0 : end > 0 || open.length < MOST_OPEN ? end : open.length;
      send(open.subarray(0, upTo));
      open = open.subarray(upTo);
    },
    end: () => send(open),
  };
}
