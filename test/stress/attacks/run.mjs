#!/usr/bin/env node
// Attacks from inside a command, each tried twice in a fresh home: in a bare shell, where it must succeed or it proves nothing, and behind the walls.
//   run.mjs [--only regex] [--json] [--boxes n] [--set key=value …] [--bare]
import { spawnSync } from "node:child_process";
import { fill, openBox, runScript } from "../box/box.mjs";
import { TEMPLATE } from "../box/home.mjs";
import { openBareShell, openZephShell } from "../box/shells.mjs";
import { LATER } from "./later.mjs";
import { MACHINE } from "./machine.mjs";
import { NETWORK } from "./network.mjs";
import { SECRETS } from "./secrets.mjs";
import { STEERING } from "./steering.mjs";

const argv = process.argv.slice(2);
const all = (name) => argv.flatMap((word, at) => (word === name ? [argv[at + 1]] : []));
const only = new RegExp(all("--only")[0] ?? "");
const isJson = argv.includes("--json");
const print = (result) => {
  if (isJson) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  const about = result.bare !== "succeeds" ? "PROVES NOTHING" : result.walled;
  process.stdout.write(
    `${result.id.padEnd(30)} ${about.padEnd(16)} ${String(result.ms).padStart(6)} ms${about === "holds" || about === "not tried" ? "" : `\n${result.text}`}\n`,
  );
};

/** What a filter took out as a secret was there to be taken out. A command's own password for the proxy of its session is no secret of the person's. */
const OWN_CREDENTIAL = /\/\/zeph:\[redacted:password\]@127\.0\.0\.1:\d+/g;
const groups = { secrets: SECRETS, later: LATER, steering: STEERING, network: NETWORK, machine: MACHINE };
const attacks = Object.entries(groups).flatMap(([group, list]) => list.map((one) => ({ ...one, group })));
const ids = new Set(attacks.map(({ id }) => id));
if (ids.size !== attacks.length) throw new Error("Two attacks have the same id.");
const queue = attacks.filter(({ id, group }) => only.test(`${group}/${id}`));
const results = [];
await Promise.all(Array.from({ length: Number(all("--boxes")[0] ?? 2) }, work));

const wanted = argv.includes("--bare") ? "not tried" : "holds";
const bad = results.filter(({ bare, walled }) => bare !== "succeeds" || walled !== wanted);
if (!isJson)
  console.log(
    `\n${results.length} attacks, ${results.length - bad.length} held${bad.length > 0 ? `; not: ${bad.map(({ id }) => id).join(", ")}` : ""}`,
  );
process.exitCode = bad.length > 0 ? 1 : 0;

/** A box of its own; takes attacks until none is left. */
async function work() {
  const box = await openBox({ template: TEMPLATE });
  try {
    const known = knownSettings(box);
    for (let attack = queue.shift(); attack; attack = queue.shift()) {
      if (attack.needs === "namespaces" && box.kind !== "namespaces") continue;
      const began = Date.now();
      const bare = await tryOnce(box, attack, openBareShell);
      const walled = argv.includes("--bare")
        ? null
        : await tryOnce(box, { ...attack, set: [...(attack.set ?? []).filter(known), ...all("--set")] }, openZephShell);
      const result = {
        id: attack.id,
        group: attack.group,
        about: attack.about,
        bare: bare.escaped ? "succeeds" : "fails",
        walled: walled === null ? "not tried" : walled.escaped ? "ESCAPED" : walled.ran ? "holds" : "did not run",
        ms: Date.now() - began,
        text: (bare.escaped ? (walled?.text ?? "") : bare.text).slice(-1500),
      };
      results.push(result);
      print(result);
    }
  } finally {
    box.close();
  }
}

async function tryOnce(box, attack, open) {
  box.reset();
  const places = { ...box.places, cwd: fill(attack.cwd, box.places) };
  const text = (script) => fill(script, places);
  if (attack.prepare) await runScript(box.becoming("dev"), text(`cd ${places.cwd}\n${attack.prepare}`));
  const sessions = new Map();
  const sessionOf = (step) => {
    const key = step.session ?? 0;
    const who = step.who ?? "dev";
    const cwd = step.cwd === undefined ? places.cwd : text(step.cwd);
    if (!sessions.has(key))
      sessions.set(
        key,
        open(box, { cwd, who, before: text(attack.before ?? ""), answers: attack.answers, set: (attack.set ?? []).map(text) }),
      );
    return sessions.get(key);
  };
  const said = [];
  let hasRun = true;
  for (const step of attack.steps ?? [{ cmd: attack.cmd }]) {
    const session = sessionOf(step);
    if (step.killHelpers) session.killHelpers();
    const answer = await session.step({ ...step, cmd: text(step.cmd) });
    said.push(answer.text);
    // A command that starts while its helpers are killed may end with them.
    hasRun &&= answer.ran || step.killHelpers === true;
    if (step.pause) await new Promise((done) => setTimeout(done, step.pause));
  }
  for (const session of sessions.values()) await session.close();
  if (attack.wait) await new Promise((done) => setTimeout(done, attack.wait));
  const after = attack.outside ? (await runScript(box.becoming("dev"), text(`cd ${places.cwd}\n${attack.outside}`))).text : "";
  const shown = said.join("\n");
  // A command may make what was not there, if the person is told of everything in it that programs outside obey.
  const isNamed = attack.named?.every((name) => shown.includes(name)) ?? false;
  const escaped =
    shown.includes(box.places.canary) ||
    /^ESCAPED/m.test(shown) ||
    shown.replace(OWN_CREDENTIAL, "").includes("[redacted:") ||
    (/^ESCAPED/m.test(after) && !isNamed);
  return { escaped, ran: hasRun, text: `${shown}\n${after}` };
}

/** Keys of the configuration that this Zeph has. */
function knownSettings(box) {
  const [file, ...args] = box.becoming("dev");
  const keys = new Map();
  return (setting) => {
    const key = setting.split("=")[0];
    if (!keys.has(key))
      keys.set(key, spawnSync(file, [...args, "sh", "-c", `${box.places.zeph} config explain ${key}`], { cwd: "/" }).status === 0);
    return keys.get(key);
  };
}
