// A small shop as a git repository, the same every time: files, tests of which one fails, a log, and a change that has not been committed.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const AREAS = {
  catalog: ["product", "category", "brand", "picture", "label", "shelf"],
  cart: ["item", "basket", "coupon", "bundle", "gift"],
  users: ["profile", "avatar", "address", "newsletter", "preference"],
  search: ["index", "synonym", "ranking", "facet", "suggestion"],
  shipping: ["parcel", "carrier", "label", "zone", "tariff"],
};

export function makeShop(root) {
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  // The same hashes every time.
  const git = (args, at = "2026-01-01T09:00:00Z") =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", ...args], {
      cwd: root,
      stdio: "pipe",
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    });
  git(["init", "-q", "-b", "main"]);
  for (const [area, things] of Object.entries(AREAS)) {
    for (const thing of things) write(`src/${area}/${thing}.js`, plainModule(area, thing));
    write(`src/${area}/${area}.test.js`, plainTests(area, things));
  }
  write("package.json", PACKAGE);
  write("config/default.json", CONFIG);
  write("docs/payments.md", PAYMENTS_DOC);
  write("docs/catalog.md", plainDoc("catalog"));
  write("docs/style.md", plainDoc("style"));
  write("src/payments/gateway.js", gateway(10000));
  write("src/payments/retry.js", RETRY);
  write("src/payments/payments.test.js", TESTS);
  write("src/checkout/pay.js", PAY);
  write("src/checkout/totals.js", plainModule("checkout", "totals"));
  commit(git, "First version of the shop", 1);
  for (let n = 2; n < 30; n++) {
    write(`src/catalog/${AREAS.catalog[n % 6]}.js`, `${plainModule("catalog", AREAS.catalog[n % 6])}\n// revision ${n}\n`);
    commit(git, `Catalog: ${AREAS.catalog[n % 6]} shows its ${["name", "price", "picture", "weight"][n % 4]} (${n})`, n);
  }
  write("src/payments/gateway.js", gateway(3000));
  commit(git, "Gateway: lower the timeout to 3 s", 30);
  for (let n = 31; n < 45; n++) {
    write(`src/users/${AREAS.users[n % 5]}.js`, `${plainModule("users", AREAS.users[n % 5])}\n// revision ${n}\n`);
    commit(git, `Users: ${AREAS.users[n % 5]} can be edited (${n})`, n);
  }
  // Work in progress.
  for (const thing of AREAS.shipping)
    write(`src/shipping/${thing}.js`, plainModule("shipping", thing).replaceAll("const step", "let step"));
  write("src/payments/retry.js", RETRY.replace("backoffMs: 200", "backoffMs: 50"));
  write("logs/server.log", log());
}

function commit(git, message, n) {
  git(["add", "-A"]);
  git(["commit", "-q", "-m", message], new Date(Date.UTC(2026, 0, 1, 9, n)).toISOString());
}

const plainModule = (area, thing) => `// ${area}: everything about one ${thing}.
${Array.from(
  { length: 6 },
  (_, n) => `
export function ${["read", "show", "rename", "compare", "sort", "describe"][n]}${thing[0].toUpperCase()}${thing.slice(1)}(${thing}, options = {}) {
  const step${n} = options.step ?? ${n + 1};
  const parts = [${thing}.name, ${thing}.colour, ${thing}.size].filter(Boolean);

  for (const part of parts) {
    if (part.length > ${10 + n}) options.onLong?.(part, step${n});
  }
  return parts.map((part) => part.trim().slice(0, ${20 + n})).join(" / ");
}
`,
).join("")}`;

const plainTests = (area, things) => `import assert from "node:assert/strict";
import { describe, it } from "node:test";

describe("${area}", () => {
${things.map((thing) => `  it("shows a ${thing}", () => assert.equal("${thing}".length > 0, true));\n  it("sorts every ${thing} by name", () => assert.ok(true));`).join("\n")}
});
`;

const plainDoc = (topic) =>
  `# ${topic}\n\n${Array.from({ length: 14 }, (_, n) => `## Part ${n + 1}\n\nThis part describes how ${topic} entries are named, coloured and laid out on the page.\nEditors may change the wording at any moment; designers review it once a month.`).join("\n\n")}\n`;

const gateway = (ms) => `// Talks to the card gateway.
import { Agent, request } from "node:https";

export const GATEWAY_TIMEOUT_MS = ${ms};

// One pool for all requests; more sockets are not allowed by contract.
const pool = new Agent({ keepAlive: true, maxSockets: 4 });

export function sendToGateway(order, url) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", agent: pool, timeout: GATEWAY_TIMEOUT_MS }, resolve);

    asked.on("timeout", () => asked.destroy(new Error("gateway timeout")));
    asked.on("error", reject);
    asked.end(JSON.stringify(order));
  });
}

export function formatReceipt(receipt) {
  const rows = receipt.items.map(({ name, price }) => \`\${name.padEnd(30)} \${price}\`);
  return [receipt.title, "-".repeat(40), ...rows, "-".repeat(40), receipt.footer].join("\\n");
}

export function maskCard(number) {
  return number.slice(-4).padStart(number.length, "*");
}
`;

const RETRY = `import { sendToGateway } from "./gateway.js";

export const RETRY = { attempts: 2, backoffMs: 200 };

// Tries a payment again when the gateway did not answer.
export async function retryPayment(order, url, send = sendToGateway) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(order, url);
    } catch (error) {
      if (attempt >= RETRY.attempts) throw error;

      // The same pause every time: nobody grows it.
      await new Promise((resolve) => setTimeout(resolve, RETRY.backoffMs));
    }
  }
}
`;

const PAY = `import config from "../../config/default.json" with { type: "json" };
import { retryPayment } from "../payments/retry.js";

export async function pay(basket, card) {
  const order = { id: basket.id, total: basket.total, card };
  return retryPayment(order, config.payments.gatewayUrl);
}
`;

const TESTS = `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GATEWAY_TIMEOUT_MS } from "./gateway.js";
import { retryPayment } from "./retry.js";

describe("payments", () => {
  it("waits for the gateway as long as its contract says", () => assert.ok(GATEWAY_TIMEOUT_MS > 0));
  it("retries a payment three times", async () => {
    let sent = 0;
    const send = async () => {
      sent++;
      throw new Error("gateway timeout");
    };
    await retryPayment({}, "", send).catch(() => {});
    assert.equal(sent, 3);
  });
});
`;

const PACKAGE = `${JSON.stringify({ name: "shop", version: "4.2.0", type: "module", private: true, scripts: { test: "node --test src/", "test:payments": "node --test src/payments/" } }, null, 2)}\n`;

const CONFIG = `${JSON.stringify(
  {
    catalog: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`colour${n}`, `#${(n * 54321).toString(16).padStart(6, "0")}`])),
    payments: { gatewayUrl: "https://pay.example/v2/charge", currency: "EUR" },
    search: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`weight${n}`, n / 10])),
  },
  null,
  2,
)}\n`;

const PAYMENTS_DOC = `# Payments

## Colours of the card form

The form uses the colours of the brand. Designers review them once a month.
Borders are two pixels wide; corners are round.

${Array.from({ length: 8 }, (_, n) => `## Form field ${n + 1}\n\nThe label stands above the field. Hints are grey and disappear when somebody types.\nOn small screens the field takes the whole width of the page.`).join("\n\n")}

## The gateway

At peak hours the gateway answers within 8 seconds (contract, page 12).
A payment may be retried up to five times; pauses must double.

## Receipts

Receipts are sent by mail. They show every item, its price and the shop's address.
`;

function log() {
  const lines = [];
  for (let n = 0; n < 400; n++) {
    const at = `2026-02-03T10:${String(Math.floor(n / 7)).padStart(2, "0")}:${String((n * 7) % 60).padStart(2, "0")}Z`;
    lines.push(`${at} INFO  http GET /catalog/product/${1000 + n} 200 ${10 + (n % 40)} ms`);
    if (n % 9 === 0) lines.push(`${at} INFO  search rebuilt index of ${n * 13} entries`);
    if (n === 137) lines.push(`${at} ERROR payments gateway timeout after 3000 ms order=48213`);
    if (n === 260) lines.push(`${at} WARN  payments gateway answered after 7412 ms order=48877, too late`);
    if (n === 301) lines.push(`${at} ERROR mail could not be delivered: mailbox full`);
  }
  return `${lines.join("\n")}\n`;
}
