// What the hooks cost inside the real agents: npm run lab:neighbours:time [-- client … --rounds n --write]. Each round makes twenty calls without hooks, with
// the one before a call, with the one after it and with both, one after the other, so that a busy machine is busy for all of them alike.
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CLIENT_PLANS } from "../../dist/modules/hook/install/client-plans.js";
import { ALLOW } from "./cells.mjs";
import { CLIENTS } from "./clients.mjs";
import { findClient } from "./find-client.mjs";
import { removePlace } from "./place.mjs";
import { runCell } from "./run-cell.mjs";

const PAGE = join(import.meta.dirname, "../../docs/neighbours-tested.md");
const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    calls: { type: "string", default: "20" },
    write: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(CLIENTS);
const base = realpathSync(mkdtempSync(join(tmpdir(), "ztm-")));
process.on("exit", () => removePlace(base));
const steps = Array.from({ length: Number(values.calls) }, (_, n) => ({ kind: "bash", command: `true ${n}` }));

/** Leaves one of the two hooks in. Codex is told to trust what stands there then. */
const only = (left) => (place) => {
  const plan = CLIENT_PLANS[place.client];
  const file = join(place.home, plan.files.user);
  const text = readFileSync(file, "utf8");
  if (plan.form.kind === "plugin")
    return writeFileSync(
      file,
      text.replace(left === "pre" ? /^const POST = .*$/m : /^const PRE = .*$/m, (line) => `${line.split("=")[0]}= null;`),
    );
  const data = JSON.parse(text);
  const isLeft = (event) => /^(?:Before|Pre|pre)/.test(event) === (left === "pre");
  data.hooks = Object.fromEntries(Object.entries(data.hooks).filter(([event]) => isLeft(event)));
  writeFileSync(file, JSON.stringify(data));
};
/** Both hooks are there and do nothing: what the agent itself takes for them. */
const idle = (place) => {
  const plan = CLIENT_PLANS[place.client];
  const file = join(place.home, plan.files.user);
  const nothing = (text) => text.replaceAll(/"(command|bash)":\s*"(?:[^"\\]|\\.)*"/g, '"$1":"exit 0"');
  const text = readFileSync(file, "utf8");
  const said = `echo '{"verdict":"silent"}'`;
  writeFileSync(
    file,
    plan.form.kind === "plugin"
      ? text.replaceAll(/^const (PRE|POST) = .*$/gm, (_, name) => `const ${name} = ${JSON.stringify(said)};`)
      : nothing(text),
  );
};
const VARIANTS = {
  none: { hooks: false },
  idle: { after: idle },
  pre: { after: only("pre") },
  post: { after: only("post") },
  both: {},
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const lines = [];
const tell = (line) => {
  lines.push(line);
  console.log(line);
};
tell("| Agent | without hooks | two hooks that do nothing add | before adds | after adds | both add |\n|---|---|---|---|---|---|");
for (const client of names) {
  const found = findClient(client);
  if (found.missing) {
    process.stderr.write(`${client}: ${found.missing}\n`);
    continue;
  }
  const lowest = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, Number.POSITIVE_INFINITY]));
  const took = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, how] of Object.entries(VARIANTS)) {
      if (client === "codex" && how.after) continue;
      const cell = { run: async (open) => gapsOf(await open.alone({ rules: ALLOW, steps, ...how })) };
      const { outcome } = await runCell(cell, client, found, { base: join(base, `${client}-${round}-${name}`) });
      if (!Array.isArray(outcome)) {
        process.stderr.write(`${client} ${name}: ${outcome}\n`);
        continue;
      }
      took[name].push(median(outcome));
      lowest[name] = Math.min(lowest[name], ...outcome);
    }
  const added = (name) =>
    took[name].length === 0 ? "–" : `${(median(took[name]) - median(took.none)).toFixed(1)} (${(lowest[name] - lowest.none).toFixed(1)})`;
  tell(
    `| ${client} | ${median(took.none).toFixed(1)} (${lowest.none.toFixed(1)}) | ${added("idle")} | ${added("pre")} | ${added("post")} | ${added("both")} |`,
  );
}

if (values.write) {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    page.replace(/<!-- times -->[\s\S]*<!-- end of times -->/, () => `<!-- times -->\n${lines.join("\n")}\n<!-- end of times -->`),
  );
}

/** Milliseconds from an answer to the next question; the first call opens things that stay open. */
function gapsOf({ model }) {
  if (model.read.length < steps.length) return `only ${model.read.length} calls were made`;
  return model.gaps.slice(1);
}
