// The flags of `npm run bench:race`.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BARE, WAYS } from "./race-clients.mjs";

const HELP = `npm run bench:race -- [flags]
  --install        fetch the others in their pinned versions first; what is there is kept
  --only a,b       rows whose name begins so: zeph, pi, gemini-cli, opencode, codex, claude-code; the bare loop is always there
  --rounds N       rounds of read, grep and bash, the clients taking turns (5)
  --calls N        calls of a kind in a round (40)
  --quick          one round of 10 calls: a trial
  --write          put the table into docs/performance.md
  --log FOLDER     keep what the model was asked and shown, a file for each run
`;

/** Ends the process with a sentence where they make no sense. */
export function readOptions(argv) {
  try {
    return parseOptions(argv);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

function parseOptions(argv) {
  const text = { type: "string" };
  const flag = { type: "boolean", default: false };
  const options = { install: flag, only: text, rounds: text, calls: text, quick: flag, write: flag, log: text, help: flag };
  const { values } = parseArgs({ args: argv, options });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (values.write && values.only) throw new Error("--write wants every row; leave --only out.");
  if (values.log) mkdirSync(values.log, { recursive: true });
  return {
    ...values,
    log: values.log && resolve(values.log),
    rounds: readCount("rounds", values.rounds ?? (values.quick ? "1" : "5")),
    calls: readCount("calls", values.calls ?? (values.quick ? "10" : "40")),
    ways: chooseWays(values.only),
  };
}

function readCount(name, text) {
  if (!/^[1-9]\d?$/.test(text)) throw new Error(`--${name} wants a number from 1 to 99, not "${text}".`);
  return Number(text);
}

function chooseWays(only) {
  const wanted = only?.toLowerCase().split(",");
  const isNamed = (name, one) => one !== "" && name.toLowerCase().startsWith(one);
  const stranger = wanted?.find((one) => !Object.keys(WAYS).some((name) => isNamed(name, one)));
  if (stranger !== undefined) throw new Error(`--only: there is no "${stranger}". There are ${Object.keys(WAYS).join("; ")}.`);
  return Object.keys(WAYS).filter((name) => !wanted || name === BARE || wanted.some((one) => isNamed(name, one)));
}
