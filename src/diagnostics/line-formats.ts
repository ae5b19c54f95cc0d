import { type Finding, givenPosition, type Parser, severityOf } from "./finding.ts";
import { ANY_PATH, createHeadReaders, type Head, type Point, severityHead } from "./heads.ts";
import { readLineFindings } from "./lines.ts";

const heads = createHeadReaders(ANY_PATH);

/** gcc and clang, without source lines: `a.c:2:7: warning: … [-Wunused]`. */
export const parseGcc: Parser = ({ stderr }) =>
  readLineFindings(stderr, {
    read: (line) => found(colonHead(line), / \[(-W[^\]\s]{1,80})\]$/) ?? bare(/^()[\w.+-]{1,60}: (fatal error|error|warning): (.*)$/, line),
    noise: /^(?:In file included from |.*: (?:In|At) |.*: note: |compilation terminated|\d+ (?:errors?|warnings?)\b)/,
  });

/** `--show-column-numbers --no-pretty`: `a.py:2:12: error: …  [return-value]`; or a file as a whole, or the program itself. */
export const parseMypy: Parser = ({ stdout }) =>
  readLineFindings(stdout, {
    read: (line) => found(colonHead(line), MYPY_CODE) ?? bare(/^(?:mypy|(\S.*?)): (error|warning): (.*)$/, line, MYPY_CODE),
    noise: /^(?:Success: |Found \d+ errors?)/,
  });

const MYPY_CODE = / {2}\[([\w-]{1,60})\]$/;

/** `--pretty false`: `src/a.ts(3,5): error TS2322: …`, and indented lines that explain it. */
export const parseTsc: Parser = ({ stdout }) =>
  readLineFindings(
    stdout,
    {
      read: (line) => found(heads.paren(line)) ?? bare(/^()((?:error|warning|message) TS\d{1,6}): (.*)$/, line),
      noise: /^(?:Found \d+ errors?|Version \d)/,
    },
    "belong",
  );

/** What does not compile, as the go command says it: a place and a message. */
export const parseGoLines = (text: string) =>
  readLineFindings(text, {
    read: (line) => placed(heads.point(line)),
    noise: /^(?:# |go: (?:downloading|finding) |exit status )/,
  });

function colonHead(line: string): Head | null {
  const point = heads.point(line);
  return point && severityHead(point);
}

const placed = (point: Point | null): Finding | null =>
  point?.by === ":" ? findingAt(point, { severity: "error", message: point.rest }) : null;

/** The code of a rule stands in the label, `error TS2322`, or at the end of the message. */
function found(head: Head | null, code?: RegExp): Finding | null {
  return head && findingAt(head, said(head.label, head.message, code));
}

/** A finding of no place: its file, if it has one, how bad it is, and the message. */
function bare(shape: RegExp, line: string, code?: RegExp): Finding | null {
  const [, file, label, message] = shape.exec(line) ?? [];
  return label === undefined ? null : { ...said(label, message!, code), file: file || null, line: null, col: null };
}

function said(label: string, message: string, code?: RegExp): Pick<Finding, "severity" | "message" | "code"> {
  const atEnd = code?.exec(message);
  const named = atEnd?.[1] ?? / ([A-Z]{1,10}\d{1,6})$/.exec(label)?.[1];
  return {
    severity: severityOf(label),
    message: atEnd ? message.slice(0, atEnd.index) : message,
    ...(named !== undefined && { code: named }),
  };
}

const findingAt = ({ file, line, column }: Pick<Point, "file" | "line" | "column">, finding: ReturnType<typeof said>): Finding => ({
  ...finding,
  file,
  line: givenPosition(line),
  col: givenPosition(column),
});
