// What was measured when failures were provoked on a fleet (test/fleet/chaos), as a table for docs/performance.md.
import { existsSync, readFileSync } from "node:fs";

export function printChaosTable(file) {
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

const nameOf = ({ scenario, bus }) => `${scenario}\t${bus}`;

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
