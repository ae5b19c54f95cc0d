// The cost of games: requests, calls, errors and tokens.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { costsOf } from "./letters.mjs";
import { LETTERS, taskOf } from "./tasks/index.mjs";

const USAGE = `usage: node lab/model/stats.mjs [--pairs | --json] <game>…

For each game (a folder of play.mjs): requests, calls, results that were errors, input tokens of all requests, and the same at cache prices
(new tokens × 1.25, tokens that the request before began with × 0.1). System prompt and catalogue stand apart from the messages.
--pairs   a row for each task that was played both ways, with Zeph's ratio to the bare loop
--json    the numbers as JSON`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean" }, json: { type: "boolean" }, pairs: { type: "boolean" } },
});
if (values.help || positionals.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const games = positionals.map((game) => {
  const { task, way, solved } = JSON.parse(readFileSync(path.join(game, "verdict.json"), "utf8"));
  return { task, way, solved, ...costsOf(game) };
});
if (values.json) console.log(JSON.stringify(games, null, 1));
else if (values.pairs) printPairs();
else printGames();

function printGames() {
  const titles = [
    "Task",
    "Way",
    "Solved",
    "Requests",
    "Calls",
    "Errors",
    "Input",
    "at cache prices",
    "System prompt and catalogue",
    "Messages",
    "at cache prices",
  ];
  printTable(
    titles,
    games.map((game) => [
      game.task,
      game.way,
      game.solved ? "yes" : "no",
      ...[game.requests, game.calls, game.errors, game.input, game.priced, game.fixed, game.messages, game.messagesPriced].map(show),
    ]),
  );
}

function printPairs() {
  const titles = ["Task", "Bare: requests / calls / input", "Zeph", "at cache prices", "messages alone"];
  const pairs = LETTERS.map((letter) => ["bare", "zeph"].map((way) => games.find((game) => game.task === letter && game.way === way)));
  const rows = pairs.filter(([bare, zeph]) => bare !== undefined && zeph !== undefined);
  printTable(
    titles,
    rows.map(([bare, zeph]) => [
      `${bare.task}: ${taskOf(bare.task).title}`,
      ...[bare, zeph].map(({ requests, calls, input, solved }) => `${requests} / ${calls} / ${show(input)}${solved ? "" : ", not solved"}`),
      `${(zeph.priced / bare.priced).toFixed(1)} ×`,
      `${(zeph.messagesPriced / bare.messagesPriced).toFixed(2)} ×`,
    ]),
  );
}

function printTable(titles, rows) {
  for (const cells of [titles, titles.map(() => "---"), ...rows]) console.log(`| ${cells.join(" | ")} |`);
}

function show(number) {
  return number.toLocaleString("en");
}
