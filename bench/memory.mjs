// Finding one of 10,000 memories among 10,000 messages, against the bare index of words in the same file. Ratios, taken in turns, and the plain p50.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { openStore } from "../dist/modules/store/open.js";
import { median, timed } from "./measure.mjs";

const COUNT = 10_000;
const DIMS = 512;
const ROUNDS = 60;
const TARGET_MS = 20;

const random = randomFrom(7);
const COMMON = "the a to of and in is it for with on that this be are as was we use when from not by or an".split(" ");
const RARE = Array.from({ length: 4_000 }, (_, n) => `w${n.toString(36)}x`);
const word = () => (random() < 0.4 ? COMMON[Math.floor(random() * COMMON.length)] : RARE[Math.floor(random() * random() * RARE.length)]);
const sentence = (length) => Array.from({ length }, word).join(" ");

const folder = mkdtempSync(join(tmpdir(), "zeph-bench-memory-"));
const file = join(folder, "zeph.db");
const store = openStore(file);
const filling = await timed(fill);

const raw = new DatabaseSync(file);
const bare = raw.prepare("select rowid from memory_words where memory_words match ? order by rank limit 8");
const rare = () => `${RARE[Math.floor(random() * 1000)]} ${RARE[Math.floor(random() * 4000)]}`;
const search = (text, vector) => store.memories.search({ text, workspace: "/w", limit: 8, ...(vector && { vector }) });
const near = () => ({ embedder: "bench", of: direction() });
const ways = {
  "bare index, two words": () => bare.all(`"${rare().replace(" ", '" OR "')}"`),
  "two words": () => search(rare()),
  "a question": () => search(`what is the ${rare()} that we use for this`),
  "two words and a vector": () => search(rare(), near()),
  "a question and a vector": () => search(`what is the ${rare()} that we use for this`, near()),
  "a paragraph and a vector": () => search(sentence(60), near()),
};

const first = await timed(ways["a question and a vector"]);
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < ROUNDS + 5; round++)
  for (const [name, work] of Object.entries(ways)) {
    const ms = await timed(work);
    if (round >= 5) times[name].push(ms);
  }
raw.close();
await store.close();
rmSync(folder, { recursive: true, force: true });

const base = median(times["bare index, two words"]);
console.log(`${COUNT} memories with ${DIMS} numbers each, ${COUNT} messages, ${ROUNDS} rounds; filled in ${(filling / 1000).toFixed(1)} s`);
console.log(`the first search, which reads the vectors: ${first.toFixed(0)} ms`);
for (const [name, list] of Object.entries(times))
  console.log(`${name.padEnd(25)} p50 ${median(list).toFixed(1)} ms, ×${(median(list) / base).toFixed(1)}`);
const missed = Object.entries(times).filter(([, list]) => median(list) > TARGET_MS);
if (missed.length > 0) {
  console.error(`Missed: more than ${TARGET_MS} ms for ${missed.map(([name]) => name).join(", ")}.`);
  process.exitCode = 1;
}

async function fill() {
  for (let n = 0; n < COUNT; n++) {
    const { id } = await store.memories.save({ content: `${sentence(40)} ${n}`, workspace: "/w", untrusted: false });
    await store.memories.addVector(id, "bench", direction());
  }
  const { id } = await store.conversations.create("/w", "bench");
  for (let n = 0; n < COUNT; n += 100)
    await store.conversations.append(
      id,
      Array.from({ length: 100 }, (_, k) => ({ role: "user", text: `${sentence(60)} ${n + k}` })),
    );
}

function direction() {
  const numbers = Float32Array.from({ length: DIMS }, () => random() - 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}
