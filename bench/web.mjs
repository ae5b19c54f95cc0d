// A page to text: in the reading thread, against the HTML library alone on the main thread. Ratios, taken in turns; and how long the event loop stands still.
import { load } from "cheerio/slim";
import { openHtmlReader } from "../dist/modules/host/html/reader.js";
import { longestBlock, median, timed } from "./measure.mjs";

const ROUNDS = 31;
const TARGET = { ratio: 1.3, blockMs: 20 };
const html = page(1_000_000);
const about = { type: "text/html", charset: "utf-8", url: "https://a.example/b/" };
const never = new AbortController().signal;
const reader = openHtmlReader();
const read = (as) => reader.page(new Uint8Array(Buffer.from(html)), about, as, never);
const ways = {
  "the library alone": () => load(html)("body").text(),
  "thread, text": () => read("text"),
  "thread, markdown": () => read("markdown"),
};

const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < ROUNDS + 5; round++)
  for (const [name, work] of Object.entries(ways)) {
    const ms = await timed(work);
    if (round >= 5) times[name].push(ms);
  }
const base = median(times["the library alone"]);
console.log(`${(html.length / 1e6).toFixed(2)} MB page, ${ROUNDS} rounds`);
for (const [name, list] of Object.entries(times))
  console.log(`${name.padEnd(20)} p50 ${median(list).toFixed(1)} ms, ×${(median(list) / base).toFixed(2)}`);

// Beside it what the same machine does to a loop that only waits: on a busy one, most of the block is not ours.
const blocks = [];
const waits = [];
for (let n = 0; n < 15; n++) {
  const bodies = ["text", "markdown", "text"].map((as) => ({ as, bytes: new Uint8Array(Buffer.from(html)) }));
  const started = performance.now();
  blocks.push((await longestBlock(() => Promise.all(bodies.map(({ as, bytes }) => reader.page(bytes, about, as, never))))).worst);
  const took = performance.now() - started;
  waits.push((await longestBlock(() => new Promise((done) => setTimeout(done, took)))).worst);
}
console.log(
  `longest block        p50 ${median(blocks).toFixed(1)} ms, worst ${Math.max(...blocks).toFixed(1)}; only waiting p50 ${median(waits).toFixed(1)}, worst ${Math.max(...waits).toFixed(1)}`,
);
await reader.close();

const missed = [
  ...(median(times["thread, text"]) / base > TARGET.ratio ? [`text is slower than ×${TARGET.ratio}`] : []),
  ...(median(blocks) - median(waits) > TARGET.blockMs
    ? [`the event loop stood still for more than ${TARGET.blockMs} ms longer than while waiting`]
    : []),
];
if (missed.length > 0) {
  console.error(`Missed: ${missed.join("; ")}.`);
  process.exitCode = 1;
}

function page(size) {
  const paragraph = (n) =>
    `<p>Paragraph ${n} with <a href="/x/${n}?a=1&amp;b=2">a link</a>, some <b>bold text</b>, and enough plain words to look like the prose of an article that someone wrote over many an evening.</p>\n`;
  const section = (n) =>
    `<h2 id="s${n}">Section ${n}</h2>${Array.from({ length: 6 }, (_, k) => paragraph(n * 10 + k)).join("")}<ul>${"<li>Item of <code>list()</code></li>".repeat(5)}</ul>` +
    `<pre><code class="language-js">const a = ${n};\nlog(a &lt; 3);</code></pre><table><tr><th>Name</th><th>Value</th></tr><tr><td>a</td><td>${n}</td></tr></table>`;
  let body = "";
  for (let n = 0; body.length < size; n++) body += section(n);
  return `<!doctype html><title>T</title><script>var a = "<p>";</script><body><nav><a href="/">Home</a></nav><main><article><h1>Title</h1>${body}</article></main><footer>End</footer>`;
}
