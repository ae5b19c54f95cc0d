// `npm run bench:fleet-sim`: a fleet that is larger than this machine, on paper: how long tasks wait, what the database does, where it ends and what helps then.
// `--quick` for a look; `--measure` starts a PostgreSQL and prints what statements cost there and how long five real runs took; `--calibrate <file>` compares such
// a print with the same run simulated; `--write` puts the tables into docs/performance.md.
import { readFileSync, writeFileSync } from "node:fs";
import { compareWithRuns, TOLERANCE } from "./fleet-sim-calibrate.mjs";
import { simulateFleet } from "./fleet-sim-fleet.mjs";
import { ASSUMPTIONS, PARAMETERS, WORKLOADS } from "./fleet-sim-parameters.mjs";

const isQuick = process.argv.includes("--quick");
const seconds = isQuick ? 5 : 20;
const warmSeconds = isQuick ? 2 : 5;
const number = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share) => `${Math.round(share * 100)} %`;
const time = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${number(ms)} ms` : `${number(ms / 1000)} s`);
const pieces = [];

const at = process.argv.indexOf("--calibrate");
if (process.argv.includes("--measure")) {
  const [{ measureCosts }, { runSteps }] = await Promise.all([import("./fleet-sim-measure.mjs"), import("./fleet-sim-real.mjs")]);
  console.log(JSON.stringify({ costs: await measureCosts(), ...(await runSteps(5)) }));
} else if (at > 0) {
  tellCalibration(JSON.parse(readFileSync(process.argv[at + 1], "utf8")));
} else {
  tell(
    "Assumptions:",
    "",
    ...ASSUMPTIONS.map((line) => `* ${line}`),
    "",
    `* Parameters: \`${JSON.stringify(PARAMETERS.database)}\`; workers ${shown()}.`,
  );
  tellSessions();
  tellRoom();
  tellKnee();
  tellBatch();
  tellHelp();
}
if (process.argv.includes("--write")) {
  const page = new URL("../docs/performance.md", import.meta.url);
  const name = at > 0 ? "bench:fleet-sim-calibrate" : "bench:fleet-sim";
  const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(\n<!-- /${name} -->)`);
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(marks, (_all, head, tail) => `${head}\n${pieces.join("\n").trim()}\n${tail}`),
  );
}

/** Whether the simulation can be believed where it can be checked. */
function tellCalibration(measured) {
  const { simulated, real, off, holds, cores, each } = compareWithRuns(measured);
  const others = measured.others
    ? ` Others used ${measured.others.map(percent).join(", ")} of them meanwhile, which is reckoned with.`
    : "";
  const seconds = (list) => list.map((one) => `${one.toFixed(2)} s`).join(", ");
  tell(
    `${measured.workers} workers × ${measured.slots} slots, ${number(measured.tasks)} tasks with ${measured.calls} short calls each, on ${measured.cores} processors with the database.${others}`,
    `Real: ${seconds(measured.seconds)}; median ${real.toFixed(2)} s.`,
    `Simulated: ${seconds(each)}; median ${simulated.toFixed(2)} s, processors ${percent(cores)} busy.`,
    `${(off * 100).toFixed(0)} % off; at most ${TOLERANCE * 100} % allowed: ${holds ? "holds" : "does not hold"}.`,
  );
  if (!holds) process.exitCode = 1;
}

/** 100,000 sessions that each begin a turn every ten minutes. */
function tellSessions() {
  title("100,000 sessions, a turn each every 10 minutes (167 turns a second wanted)");
  table(
    ["Workers × slots", "Turns done a second", "Queue", "Wait p50 / p99", "Commits a second", "Processors", "Slots", "What ends it"],
    [10, 100, 1000].map((workers) => {
      const run = simulate({ workers });
      const growth = (run.waiting - run.begunWith) / run.seconds;
      return [
        `${number(workers)} × ${PARAMETERS.slots}`,
        run.doneRate.toFixed(1),
        run.isOverrun ? `grows by ${number(growth)} a second` : run.depth.mean.toFixed(1),
        run.isOverrun ? "without end" : `${time(run.wait.p50)} / ${time(run.wait.p99)}`,
        number(run.commitRate),
        percent(run.shares.cores),
        percent(run.shares.slots),
        bottleneck(run),
      ];
    }),
  );
}

/** As many sessions as the slots carry at 80 %. */
function tellRoom() {
  title("As many sessions as fill 80 % of the slots");
  table(
    [
      "Workers × slots",
      "Sessions",
      "Turns a second",
      "Wait p50 / p99",
      "Commits a second",
      "in a group",
      "Takes that find nothing, a second",
      "Processors",
    ],
    [10, 100, 1000].flatMap((workers) =>
      ["all", "one"].map((wake) => {
        const sessions = Math.round((0.8 * workers * PARAMETERS.slots * PARAMETERS.load.everyMs) / turnMs(PARAMETERS.workload));
        const run = simulate({ workers, wake, load: { ...PARAMETERS.load, sessions } });
        return [
          `${number(workers)} × ${PARAMETERS.slots}${wake === "one" ? ", a hint wakes one" : ""}`,
          number(sessions),
          run.doneRate.toFixed(1),
          `${time(run.wait.p50)} / ${time(run.wait.p99)}`,
          number(run.commitRate),
          run.group.toFixed(1),
          number(run.emptyRate),
          percent(run.shares.cores),
        ];
      }),
    ),
  );
}

/** More and more turns, with slots enough. */
function tellKnee() {
  title("Where one database ends: 1,000 workers × 128 slots, a hint wakes one");
  table(
    [
      "Turns wanted a second",
      "done",
      "Wait p50 / p99",
      "A call's writes p50 / p99",
      "Commits a second",
      "in a group",
      "Log",
      "Processors",
      "What ends it",
    ],
    [100, 200, 400, 600, 800].map((rate) => {
      const run = knee({}, rate);
      return [
        number(rate),
        number(run.doneRate),
        `${time(run.wait.p50)} / ${time(run.wait.p99)}`,
        `${time(run.writes.p50)} / ${time(run.writes.p99)}`,
        number(run.commitRate),
        run.group.toFixed(1),
        percent(run.shares.log),
        percent(run.shares.cores),
        bottleneck(run),
      ];
    }),
  );
}

/** Use (c) without a model: nothing but the queue. */
function tellBatch() {
  title("10,000 tasks with three short calls each, no model: the queue alone");
  table(
    ["Workers × 8 slots", "All done after", "Tasks a second", "Commits a second", "Processors", "Takes", "of them in vain"],
    [3, 10, 30, 100, 300, 1000].map((workers) => {
      const run = simulate({ workers, workload: WORKLOADS.steps, load: { tasks: isQuick ? 2000 : 10_000 } });
      return [
        number(workers),
        `${run.seconds.toFixed(1)} s`,
        number(run.doneRate),
        number(run.commitRate),
        percent(run.shares.cores),
        number(run.takes),
        number(run.emptyTakes),
      ];
    }),
  );
}

/** The same load near the end of one database, with one thing changed. */
function tellHelp() {
  const rate = 600;
  title(`What helps near the end: ${number(rate)} turns a second, 1,000 workers × 128 slots, one change each`);
  const ways = [
    ["as above", {}],
    ["a hint wakes all", { wake: "all" }],
    ["a poll every 5 s in place of 1 s", { pollMs: 5000 }],
    ["one task in a take in place of up to 8", { takeMost: 1 }],
    ["no waiting for the log: overflow", { database: { unflushed: ["overflow"] } }],
    [
      "no waiting for the log at all (loses commits with the server: not for conversations and ledger)",
      { database: { unflushed: Object.keys(PARAMETERS.statements) } },
    ],
    ["a disk that needs 2 ms in place of 0.5", { database: { flushMs: 2 } }],
    ["a disk that takes 1,000 MB a second in place of 300", { database: { logMbps: 1000 } }],
    ["32 processors", { database: { cores: 32 } }],
    ["a standby in the same place has to answer (1 ms)", { database: { standbyMs: 1 } }],
    ["a standby in another region has to answer (30 ms)", { database: { standbyMs: 30 } }],
    ["the same, with 2,000 connections", { database: { standbyMs: 30, connections: 2000 } }],
    ["workers in another region than the database (60 ms there and back)", { database: { tripMs: 60 } }],
    ["2 databases, sessions divided by their name", { parts: 2 }],
    ["4 databases, or one in each of 4 regions", { parts: 4 }],
  ];
  table(
    [
      "Change",
      "Turns done a second",
      "Wait p50 / p99",
      "A call's writes p50 / p99",
      "Commits a second, each",
      "Processors, each",
      "What ends it",
    ],
    ways.map(([what, { parts = 1, ...change }]) => {
      const run = knee({ ...change, workers: 1000 / parts }, rate / parts);
      return [
        what,
        number(run.doneRate * parts),
        `${time(run.wait.p50)} / ${time(run.wait.p99)}`,
        `${time(run.writes.p50)} / ${time(run.writes.p99)}`,
        number(run.commitRate),
        percent(run.shares.cores),
        bottleneck(run),
      ];
    }),
  );
}

function knee(change, rate) {
  return simulate({
    workers: 1000,
    slots: 128,
    pool: 20,
    wake: "one",
    ...change,
    load: { sessions: 1_000_000, everyMs: 1_000_000_000 / rate, seconds: seconds / 10, warmSeconds: warmSeconds / 5 },
  });
}

function simulate({ database, ...change }) {
  return simulateFleet({
    ...PARAMETERS,
    load: { ...PARAMETERS.load, seconds, warmSeconds },
    ...change,
    database: { ...PARAMETERS.database, ...database },
  });
}

function bottleneck({ shares, isOverrun, waitingFor }) {
  if (shares.cores > 0.95) return "the database's processors";
  if (shares.log > 0.8) return "the disk of the log";
  if (waitingFor.connections > 50) return "connections";
  if (isOverrun || shares.slots > 0.97) return "slots";
  return "nothing yet";
}

function turnMs({ calls, modelMs, toolMs }) {
  return (calls + 1) * modelMs + calls * toolMs;
}

function shown() {
  const { pool, leaseMs, pollMs, takeMost, clientMs, workload } = PARAMETERS;
  return `\`${JSON.stringify({ pool, leaseMs, pollMs, takeMost, clientMs })}\`; a turn \`${JSON.stringify(workload)}\`; statements \`${JSON.stringify(PARAMETERS.statements)}\``;
}

function title(text) {
  tell("", `**${text}**`, "");
}

function table(head, rows) {
  tell(`| ${head.join(" | ")} |`, `|${head.map(() => "---").join("|")}|`, ...rows.map((row) => `| ${row.join(" | ")} |`));
}

function tell(...lines) {
  pieces.push(...lines);
  console.log(lines.join("\n"));
}
