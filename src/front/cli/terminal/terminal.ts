import pc from "picocolors";
import { wrap } from "../../../text/width/columns.ts";

export type Colors = ReturnType<typeof pc.createColors>;

/** The terminal of a command, and whether a person sits at it. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** For what goes to stdout. Does nothing unless that is a terminal that wants colour. */
  readonly out: Colors;
  /** For what goes to stderr. */
  readonly err: Colors;
  /** Somebody can be asked: they type on stdin and read stderr, whatever becomes of stdout. */
  readonly attended: boolean;
}

export function createTerminal(wish: "colour" | "plain"): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const mayColour = wish === "colour" && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    stdin,
    stdout,
    stderr,
    // Compared, not passed on: in a pipe isTTY is undefined, and picocolors would then decide for itself.
    out: pc.createColors(mayColour && stdout.isTTY === true),
    err: pc.createColors(mayColour && stderr.isTTY === true),
    attended: stdin.isTTY === true && stderr.isTTY === true,
  };
}

/** The cursor can be moved, so that what is on the screen can be taken away again. */
export const canErase = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && process.env.TERM !== "dumb";

const WIDEST = 100;

/** Columns to lay text out in. Lines longer than this are hard to read, however wide the window is. */
export const widthOf = (stream: NodeJS.WriteStream): number => Math.min(WIDEST, Math.max(40, stream.columns || 80));

/** Columns of a line that is laid out for a person; in a pipe, where others take over, a line has no end. */
export const lineWidth = (stream: NodeJS.WriteStream): number => (stream.isTTY ? widthOf(stream) : Number.POSITIVE_INFINITY);

/** For people: wrapped on a terminal; in a pipe, where others take over, as it is. */
export const prose = (text: string, stream: NodeJS.WriteStream): string => (stream.isTTY ? wrap(text, widthOf(stream)) : text);
