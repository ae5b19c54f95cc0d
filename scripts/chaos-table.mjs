// Repeats the failures that test/fleet/chaos provokes, and prints what was measured as a table for docs/performance.md: npm run fleet:chaos -- 20
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function tableOf(file) {
  const rows = existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  if (rows.length === 0) return "No round of a fleet that fails was run.\n";
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  const groups = groupRows(
    rows.sort((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario) || a.bus.localeCompare(b.bus)),
  );
  const lines = [...groups].map(
    ([name, all]) => `| ${[...name.split("\t"), all.length, ...COLUMNS.map(({ read }) => read(all))].join(" | ")} |`,
  );
  const heads = ["Scenario", "Hints", "Rounds", ...COLUMNS.map(({ head }) => head)];
  return [`| ${heads.join(" | ")} |`, `|${heads.map(() => "---|").join("")}`, ...lines, ""].join("\n");
}

function nameOf({ scenario, bus }) {
  return `${scenario}\t${bus}`;
}

function groupRows(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(nameOf(row), [...(groups.get(nameOf(row)) ?? []), row]);
  return groups;
}

const values = (rows, key) =>
  rows
    .map((row) => row[key])
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
const range = (key) => (rows) => {
  const all = values(rows, key);
  return all.length === 0 ? "" : all[0] === all.at(-1) ? String(all[0]) : `${all[0]}-${all.at(-1)}`;
};

const COLUMNS = [
  {
    head: "ms, median (worst)",
    read(rows) {
      const all = values(rows, "ms");
      return all.length === 0 ? "" : `${all[Math.floor((all.length - 1) / 2)]} (${all.at(-1)})`;
    },
  },
  { head: "effects", read: range("effects") },
  { head: "doubled", read: range("doubled") },
  { head: "unknown", read: range("unknown") },
  { head: "begun again", read: range("repeated") },
];

const rounds = Number(process.argv[2] ?? 20);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write("Usage: npm run fleet:chaos -- [rounds, 20]\n");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "zeph-rounds-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "rounds");
const env = { ...process.env, ROUNDS: String(rounds), FLEET_TABLE: file };
const { status } = spawnSync("node_modules/.bin/vitest", ["run", "--project", "fleet", "test/fleet/chaos"], { stdio: "inherit", env });
process.stdout.write(tableOf(file));
process.exitCode = status ?? 1;
