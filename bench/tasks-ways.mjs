// The ways in which an output can be shown: whole, cut, by Zeph, and by other people's filters where they are installed.
import { spawnSync } from "node:child_process";
import { filterOutput } from "../dist/lib/index.js";

const CAP = 30_000;
const ENDS = 20;

export function waysToShow() {
  const tokenjuice = process.env.TOKENJUICE ?? onPath("tokenjuice");
  const rtk = process.env.RTK ?? onPath("rtk");
  return [
    ["Zeph", ({ command, raw, exitCode }) => filterOutput({ command, raw, exitCode }).text],
    ["raw", ({ raw }) => raw],
    [`raw, at most ${CAP.toLocaleString("en")} characters`, ({ raw }) => capped(raw)],
    [`first and last ${ENDS} lines`, ({ raw }) => ends(raw)],
    ...(tokenjuice ? [["tokenjuice", (output) => reduced(tokenjuice, output)]] : []),
    ...(rtk ? [["rtk log", ({ raw }) => piped(rtk, ["log"], raw) ?? raw]] : []),
  ];
}

const onPath = (program) => (spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout ?? "").trim() || null;

/** Half from each end, as programs do that cut long outputs. */
function capped(raw) {
  if (raw.length <= CAP) return raw;
  return `${raw.slice(0, CAP / 2)}\n[${raw.length - CAP} characters left out]\n${raw.slice(-CAP / 2)}`;
}

function ends(raw) {
  const lines = raw.replace(/\n$/, "").split("\n");
  if (lines.length <= 2 * ENDS) return raw;
  return [...lines.slice(0, ENDS), `[${lines.length - 2 * ENDS} lines left out]`, ...lines.slice(-ENDS)].join("\n");
}

/** Its own protocol for programs that have an output already. */
function reduced(program, { command, raw, exitCode }) {
  const input = JSON.stringify({ toolName: "exec", command, argv: command.split(" "), combinedText: raw, exitCode });
  const made = piped(program, ["reduce-json"], input);
  return made === null ? raw : (JSON.parse(made).inlineText ?? raw);
}

const PATIENCE_MS = 30_000;
/** null when it does not end in time: its user would see the output as it was. */
function piped(program, args, input) {
  const { stdout, status, stderr, error } = spawnSync(program, args, { input, encoding: "utf8", maxBuffer: 1e9, timeout: PATIENCE_MS });
  if (error?.code === "ETIMEDOUT") return null;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

/** What a worker with Python's logging writes in eight hours: 10,000 lines, and the same in every run. */
export function workerLog() {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const two = (n) => String(n).padStart(2, "0");
  const lines = [];
  for (let n = 0; lines.length < 10_000; n++) {
    const second = 21_600 + n * 3;
    const at = `2026-03-03 ${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)},${String((n * 13) % 1000).padStart(3, "0")}`;
    const chance = random();
    const odd = ODD.get(n);
    if (odd) lines.push(`${at} ${odd[0]}`, ...odd.slice(1));
    else if (chance < 0.5) lines.push(`${at} INFO queue job ${100_000 + n} done in ${3 + Math.floor(random() * 87)} ms`);
    else if (chance < 0.8) lines.push(`${at} DEBUG queue poll ${n} empty`);
    else lines.push(`${at} INFO smtp sent message ${n} to user${1 + Math.floor(random() * 900)}@mail.example`);
  }
  return `${lines.join("\n")}\n`;
}

const ODD = new Map([
  [2210, ["WARNING smtp connection to mail-1.example timed out after 5010 ms"]],
  [4417, ["WARNING smtp connection to mail-2.example timed out after 5017 ms"]],
  [6120, ["ERROR payments charge refused order=58213 code=card_expired amount=4999"]],
  [
    6121,
    [
      "ERROR payments cannot write ledger entry order=58213",
      "Traceback (most recent call last):",
      '  File "/home/dev/app/worker.py", line 21, in <module>',
      '    try: {}["ledger_id"]',
      "KeyError: 'ledger_id'",
    ],
  ],
  [7781, ["WARNING smtp connection to mail-3.example timed out after 5031 ms"]],
  [9100, ["ERROR queue dead letter id=dl-77120 attempts=5"]],
]);
