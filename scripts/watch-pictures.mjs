// Draws the pictures of docs/watch.md: `npm run docs:pictures`. The pages are those of the built program over a store that scripts/watch-seed.mjs fills,
// with a clock that stands at one moment. Wants chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "./find-chromium.mjs";
import { withPalette } from "./palette-png.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const DOCS = join(ROOT, "docs");
/** Its end is seen in the pictures, so it has a name of no machine. */
const FOLDER = "/tmp/ada";
const NOW = Date.parse("2026-11-18T12:00:00Z");
const CALLS = 112;
/** One conversation for each day. */
const CALLS_OF_DAY = 8;
const LARGEST = 120_000;
/** Every process begins at that moment. */
const CLOCK = `data:text/javascript,${encodeURIComponent(`const by = ${NOW} - Date.now(); const Real = Date;
globalThis.Date = class extends Real { constructor(...given) { given.length === 0 ? super(Real.now() + by) : super(...given); } static now() { return Real.now() + by; } };`)}`;
const RULE = `[[tools.policy.rules]]
effect = "deny"
tool = "bash"
args_match = "git (diff|push)"

[[tools.policy.rules]]
effect = "deny"
tool = "write"
args_match = "generated"
`;
const TURNS = [
  [
    { type: "text", text: "I write the notes of the release." },
    {
      type: "request",
      request: {
        id: "c1",
        name: "write",
        args: { path: "docs/release-1.5.md", content: "# 1.5\n\nThe parser returns null for an empty line.\nThe guide has an index.\n" },
      },
    },
    { type: "end", finish: "calls", usage: { input: 4000, cacheRead: 3600, cacheWrite: 0, output: 120 } },
  ],
  [
    { type: "text", text: "Done." },
    { type: "end", finish: "stop", usage: { input: 4200, cacheRead: 4000, cacheWrite: 0, output: 10 } },
  ],
];

const children = [];
function start(args, { cwd, env }) {
  const child = spawn(process.execPath, ["--import", CLOCK, join(ROOT, "bin/zeph.cjs"), ...args], {
    cwd,
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", TZ: "UTC", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

async function seed() {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "scripts/watch-seed.mjs"),
      FOLDER,
      "--calls",
      String(CALLS),
      "--session",
      String(CALLS_OF_DAY),
      "--now",
      new Date(NOW).toISOString(),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  for await (const piece of child.stdout.setEncoding("utf8")) said += piece;
  const { workspace, env } = JSON.parse(said.trim().split("\n").at(-1));
  return { cwd: workspace, env };
}

async function draw(place) {
  const watch = start(["watch", "--json", "--no-open", "--answer"], place);
  const [line] = await once(createInterface({ input: watch.stdout }), "line");
  const { address, link } = JSON.parse(line);
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"] });
  const context = await browser.newContext({
    viewport: { width: 1240, height: 800 },
    deviceScaleFactor: 1,
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW + 3000);
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
  const take = async (name) => {
    const path = join(DOCS, `watch-${name}.png`);
    const picture = withPalette(await page.screenshot());
    writeFileSync(path, picture);
    const size = picture.length;
    if (size > LARGEST) throw new Error(`${path} has ${size} bytes, and at most ${LARGEST} are wanted.`);
    process.stdout.write(`${path} ${Math.round(size / 1000)} kB\n`);
  };
  await page.goto(`${address}/log?outcome=denied&gate=policy`);
  await page.locator("main td.cmd a").first().click();
  await page.locator(".gates").waitFor();
  await take("call");
  await page.goto(`${address}/rules`);
  await page.getByLabel("Rules as they would stand").fill(RULE);
  await page.getByRole("button", { name: "Try on the log" }).click();
  await page.locator("#result, #problem").waitFor({ timeout: 120_000 });
  await take("rules");
  await page.goto(`${address}/log`);
  await page.getByRole("button", { name: /Check the chain/ }).click();
  await page.getByText("The log is intact").waitFor();
  await page.goto(`${address}/`);
  writeFileSync(join(place.cwd, "claude-sonnet-5"), JSON.stringify(TURNS));
  const script = ["--set", `llm.providers=${JSON.stringify([{ name: "anthropic", type: "script", model: "claude-sonnet-5" }])}`];
  start([...script, "run", "--wait-for-answer", "Write the notes of the release"], place);
  await page.locator(".question").waitFor({ timeout: 120_000 });
  await page.reload();
  await page.locator("#link", { hasText: /^live$/ }).waitFor();
  await take("now");
  await browser.close();
}

if (existsSync(FOLDER)) throw new Error(`${FOLDER} is there already. Remove it: the pictures are made in it.`);
try {
  await draw(await seed());
} finally {
  for (const child of children) {
    const closed = once(child, "close");
    if (child.kill("SIGINT")) await closed;
  }
  rmSync(FOLDER, { recursive: true, force: true });
}
