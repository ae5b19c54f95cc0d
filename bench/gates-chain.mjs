// One runtime in a process of its own, which judges when it is told to: several in one process would make each other's code slower.
import { join } from "node:path";
import { createRuntime } from "../dist/lib/index.js";
import { openStore } from "../dist/modules/store/open.js";
import { CALLS, everyTool, everything, rules, sequence } from "./gates-config.mjs";

export const SEQUENCES = 1000;
/** A turn of an agent: the gates that judge only those judge too. */
export const CALLER = { phase: "executor", conversationId: "bench" };
export const CHAINS = {
  default: {},
  mixed: everything(rules(16)),
  expressions: everything(rules(256)),
  everyTool: everything(everyTool()),
};

/** Judges so many calls for each message, and answers with how long each took, in microseconds. */
export async function serve(name, base) {
  const zeph = await opened(name, base, join(base, "work"));
  let n = 0;
  process.on("message", async ({ kind, count }) => {
    if (kind === null) return zeph.close().then(() => process.disconnect());
    const times = [];
    for (let i = 0; i < count; i++) {
      const [tool, args] = CALLS[kind](n++);
      const started = process.hrtime.bigint();
      await zeph.judge(tool, args, CALLER);
      times.push(Number(process.hrtime.bigint() - started) / 1000);
    }
    process.send(times);
  });
  process.send("ready");
}

/** A runtime whose store knows the sequences and whose gates have seen a few calls. */
async function opened(name, base, work) {
  const store = await filled(join(base, `${name}.db`), work);
  const zeph = await createRuntime({ cwd: work, store, config: { audit: { path: join(base, `${name}.jsonl`) }, ...CHAINS[name] } });
  for (let n = 0; n < 12; n++) {
    const outcome = await zeph.call("read", { path: `src/file-${n}.ts` }, CALLER);
    if (!outcome.ok) throw new Error(`${name}: ${outcome.error.message} (${outcome.decision.gate}: ${outcome.decision.why})`);
  }
  for (const [kind, call] of Object.entries(CALLS)) {
    const { verdict, gate, why } = await zeph.judge(...call(0), CALLER);
    if (verdict === "deny") throw new Error(`${name}, ${kind}: ${gate} ${why}`);
  }
  return zeph;
}

export async function filled(file, work) {
  const store = openStore(file);
  for (let n = 0; n < SEQUENCES; n++)
    await store.trajectories.add({ workspace: work, callId: `call-${n}`, steps: sequence(n), ended: n % 3 === 0 ? "violation" : "error" });
  const kept = await store.trajectories.count(work);
  if (kept.error + kept.violation !== SEQUENCES) throw new Error(`The store keeps ${JSON.stringify(kept)}.`);
  await store.close();
  return file;
}
