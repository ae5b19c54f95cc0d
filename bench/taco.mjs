// `npm run bench:taco`: what is saved of 30 real tool outputs while a goal is active, and what is lost. The task, the facts and the lines that tell of
// errors are fixed below; every command runs, in a repository made for it. Exit code 1 when anything is lost, or less is
// saved than the bar beside each setting.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { createAgent } from "../dist/lib/index.js";
import { isErrorShaped } from "../dist/modules/filters/errors.js";
import { makeShop } from "./taco-shop.mjs";

const GOAL = "Find out why card payments time out at the gateway during checkout, and make the retry wait longer between attempts";

/** What somebody who works on the goal must have seen at the end. Written down before anything was measured. */
const FACTS = [
  "export const GATEWAY_TIMEOUT_MS = 3000;",
  "maxSockets: 4",
  'asked.on("timeout", () => asked.destroy(new Error("gateway timeout")))',
  "RETRY = { attempts: 2, backoffMs: 50 }",
  "if (attempt >= RETRY.attempts) throw error;",
  "nobody grows it",
  'import { retryPayment } from "../payments/retry.js";',
  "return retryPayment(order, config.payments.gatewayUrl);",
  '"gatewayUrl": "https://pay.example/v2/charge"',
  "At peak hours the gateway answers within 8 seconds (contract, page 12).",
  "A payment may be retried up to five times; pauses must double.",
  "payments gateway timeout after 3000 ms order=48213",
  "payments gateway answered after 7412 ms order=48877",
  "Gateway: lower the timeout to 3 s",
  "-export const GATEWAY_TIMEOUT_MS = 10000;",
  "+export const GATEWAY_TIMEOUT_MS = 3000;",
  "-export const RETRY = { attempts: 2, backoffMs: 200 };",
  "retries a payment three times",
  "src/payments/payments.test.js",
  '"test:payments": "node --test src/payments/"',
];

const bash = (command) => ["bash", { command }];
const CALLS = [
  ["list_directory", { path: "." }],
  ["find_path", { path: ".", pattern: "*.js" }],
  ["read", { path: "package.json" }],
  bash("git log --oneline"),
  bash("git status"),
  ["grep", { pattern: "timeout|retry", path: ".", case_sensitive: false }],
  ["grep", { pattern: "export function", path: "src", limit: 300 }],
  ["read", { path: "src/payments/gateway.js" }],
  ["read", { path: "src/payments/retry.js" }],
  ["read", { path: "src/checkout/pay.js" }],
  ["read", { path: "src/catalog/product.js" }],
  ["read", { path: "src/cart/basket.js" }],
  ["read", { path: "src/checkout/totals.js" }],
  ["read", { path: "config/default.json" }],
  ["read", { path: "docs/payments.md" }],
  ["read", { path: "docs/style.md" }],
  bash("cat logs/server.log"),
  bash("tail -n 120 logs/server.log"),
  bash("grep -rn 'options.step' src"),
  bash("grep -n payments logs/server.log"),
  bash("git diff"),
  bash("git log -p -3 -- src/payments"),
  bash("git log --stat -8"),
  bash("ls -laR src"),
  bash("node --test src/catalog src/cart src/users"),
  bash("node --test src/payments"),
  bash("find . -name '*.js' -not -path './.git/*' | xargs wc -l"),
  bash("cat src/users/profile.js"),
  bash("cat docs/catalog.md"),
  ["grep", { pattern: "gateway", path: ".", context: 3 }],
];

const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-taco-")));
try {
  const work = join(root, "shop");
  mkdirSync(work);
  makeShop(work);
  const plain = await results({ enabled: false });
  const runs = [
    ["default", await results({}), 0.25],
    ["default, grep moderate", await results({ strategies: { grep: "moderate" } }), 0.4],
    ["strategies alone", await results({ goal_aware: false }), 0],
  ];
  const missing = FACTS.filter((fact) => !plain.some((text) => text.includes(fact)));
  if (missing.length > 0) throw new Error(`These facts are in no output at all: ${missing.join(" | ")}`);
  const before = sum(plain);
  print(
    `${CALLS.length} calls, ${before} tokens of tool output without compression; ${FACTS.length} facts, ${plain.flatMap(errorsIn).length} lines that tell of errors`,
  );
  for (const [name, texts, bar] of runs) {
    const after = sum(texts);
    const facts = FACTS.filter((fact) => !texts.some((text) => text.includes(fact)));
    const errors = plain.flatMap((text, n) => errorsIn(text).filter((line) => !texts[n].includes(line)));
    const saved = 1 - after / before;
    print(
      `${name.padEnd(28)}${String(after).padStart(8)} tokens  saved ${(saved * 100).toFixed(1)} %  facts not shown ${facts.length}  error lines lost ${errors.length}`,
    );
    for (const lost of [...facts, ...errors]) print(`    not shown: ${lost.slice(0, 120)}`);
    if (errors.length > 0 || facts.length > 0 || saved < bar) process.exitCode = 1;
    if (process.argv.includes("--calls"))
      for (const [n, text] of texts.entries())
        print(
          `    ${CALLS[n][0].padEnd(15)} ${JSON.stringify(CALLS[n][1]).slice(0, 50).padEnd(50)} ${countTokens(plain[n])} -> ${countTokens(text)}`,
        );
    if (process.argv.includes("--texts"))
      for (const [n, text] of texts.entries()) print(`\n===== ${name}: ${JSON.stringify(CALLS[n])}\n${text}`);
  }

  /** What a model would be sent for each call, in order. */
  async function results(compression) {
    let asked = 0;
    const model = {
      id: "bench/script",
      contextTokens: 10_000_000,
      async *stream() {
        const next = CALLS[asked++];
        if (next) yield { type: "request", request: { id: `c${asked}`, name: next[0], args: next[1] } };
        else yield { type: "text", text: "done" };
      },
    };
    const agent = await createAgent({
      cwd: work,
      store: "memory",
      model,
      config: {
        audit: { path: join(root, "audit.jsonl") },
        agent: { goal_text: GOAL, max_tool_iterations: 100 },
        tools: { compression, sandbox: { enabled: false }, permissions: { bash: [{ pattern: "*", action: "allow" }] } },
      },
    });
    try {
      for await (const event of agent.send("go")) if (event.type === "done" && event.why !== "answered") throw new Error(event.message);
      const texts = (await agent.history()).flatMap((message) => (message.role === "tool" ? [message.text] : []));
      if (texts.length !== CALLS.length) throw new Error(`${texts.length} results for ${CALLS.length} calls`);
      return texts;
    } finally {
      await agent.close();
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

function errorsIn(text) {
  return text.split("\n").filter(isErrorShaped);
}
function sum(texts) {
  return texts.reduce((all, text) => all + countTokens(text), 0);
}
function print(line) {
  process.stdout.write(`${line}\n`);
}
