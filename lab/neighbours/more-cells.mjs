// Cells that need more than one call or another mode: outputs that are shortened, rules of the client itself, and walls.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ALLOW = '[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n';

/** What npm prints when it has much to complain about. */
const NPM = `#!/bin/sh\nfor n in $(seq 1 400); do echo "npm warn deprecated package-$n@1.0.0: no longer supported"; done\n`;

export const FILTER_CELL = {
  about: "mode filter: a long output is shortened",
  good: "shortened",
  not: {
    codex: "another output looks like a failure there, so the mode is refused",
    gemini: "another output looks like a failure there, so the mode is refused",
    qwen: "it takes no other output",
  },
  async run(open) {
    const after = ({ work }) => writeFileSync(join(work, "npm"), NPM, { mode: 0o755 });
    const { model } = await open.alone({ mode: "filter", after, steps: [{ kind: "bash", command: "./npm install" }] });
    const count = (model.read[0] ?? "").split("no longer supported").length - 1;
    return model.read.length === 0 ? "nothing read" : count < 50 ? "shortened" : "as long as it was";
  },
};

const WALLS = { qwen: "it takes no other input, so the mode is refused" };

export const WALLS_CELL = {
  about: "mode walls: a script that writes here and outside",
  good: "ran, walls held, audit rewritten",
  not: WALLS,
  async run(open) {
    // A script of the project's, for some clients have rules of their own about commands that name other folders.
    const after = ({ work, outside }) => writeFileSync(join(work, "go.sh"), `touch ran; touch ${join(outside, "ran")}; true\n`);
    const { place } = await open.alone({ mode: "walls", rules: ALLOW, after, steps: [{ kind: "bash", command: "sh go.sh" }] });
    const ran = existsSync(join(place.work, "ran")) ? "ran" : "not run";
    const held = existsSync(join(place.outside, "ran")) ? "walls did not hold" : "walls held";
    return `${ran}, ${held}, audit ${place.audit().some(({ rewritten }) => rewritten) ? "rewritten" : "not rewritten"}`;
  },
};

/** What a client says of its own rule, or Zeph of that rule. */
const REFUSED = /denie|denied|forbid|block|not allowed|reject|rule|prevent/i;

export const RULE_CELL = {
  about: "mode walls: a command that a rule of the client's own denies",
  good: "not run, refusal read",
  not: { ...WALLS, pi: "it has no rules of its own" },
  async run(open, { alone, ruled = [] }) {
    const steps = [{ kind: "bash", command: "touch ran" }];
    const { place, model } = await open.alone({ mode: "walls", rules: ALLOW, clientRules: true, argv: [...alone, ...ruled], steps });
    const read = model.read[0] === undefined ? "nothing read" : REFUSED.test(model.read[0]) ? "refusal read" : "output read";
    return `${existsSync(join(place.work, "ran")) ? "ran" : "not run"}, ${read}`;
  },
};
