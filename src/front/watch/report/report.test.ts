import { load } from "cheerio";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../../test/watch/given-sources.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import { reportHtml } from "./report-html.ts";
import { reportMarkdown } from "./report-text.ts";
import { personsAnswer, type SessionReport, wentTo, whoDecides } from "./session-report.ts";

const X = `${HOSTILE}\n# heading | cell \`\`\`\` [link](javascript:x)`;
const entry = (fields: Partial<AuditEntry>): AuditEntry => ({
  kind: "call",
  ts: "2026-11-18T01:02:03.004Z",
  call_id: X,
  tool: X,
  args: { command: X },
  ...fields,
});
const hostile: SessionReport = {
  about: { sessions: [X], conversation: { id: X, title: X }, workspaces: [X], callers: [X], first: X, last: X, version: X, made: X },
  log: [{ file: X, lines: 3, intact: false, anchored: false, problems: [X], head: X }],
  lines: [
    entry({ outcome: X as "denied", refused_by: X, reason: X, gate: X, rule: X, why: X, error: X, rollback: X }),
    entry({ kind: "egress", url: X, blocked: X }),
    entry({ kind: "note", note: X, ts: X }),
  ].map((one, n) => ({ file: X, line: n + 1, hash: X, entry: one })),
  changes: [
    { callId: X, path: X, what: "changed", before: "abc", after: "abc", diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${X}\n+${X}\n` },
    { callId: X, path: X, what: "not known", without: X },
  ],
  missing: [X],
  linesHash: X,
};

describe("a report of hostile texts", () => {
  it("has no markup of theirs on its page, and fetches and runs nothing", () => {
    const $ = load(reportHtml(hostile, X));
    expect($("i.hostile, script, [onx], img, link, iframe, form").length).toBe(0);
    expect($("style")).toHaveLength(1);
    expect($("style").text()).not.toMatch(/hostile|url\(|@import/);
    for (const one of $("[href]").toArray()) expect($(one).attr("href")).toMatch(/^#/);
    expect($("h1").text()).toContain('"><i class="hostile"');
    expect($.html()).not.toContain("\u202e");
  });

  it("keeps them in code in its text, so that none becomes a heading or a link", () => {
    // Hashes and sentences of our own are not theirs to choose.
    const ours = {
      about: { ...hostile.about, version: "1.0.0", made: "now" },
      missing: ["Nothing."],
      linesHash: "abc",
      log: hostile.log.map((log) => ({ ...log, head: "" })),
    };
    const lines = reportMarkdown({ ...hostile, ...ours, lines: hostile.lines.map((line) => ({ ...line, hash: "abc" })) }, "h").split("\n");
    const outside = lines.filter((line) => /^# heading/.test(line));
    expect(lines.filter((line) => line.startsWith("#")).every((line) => /^(?:# Report: |## )/.test(line) || outside.includes(line))).toBe(
      true,
    );
    // Those within the block of the diff stand behind a fence that is longer than any of theirs.
    const fences = lines.filter((line) => /^`{5,}/.test(line));
    expect(fences).toEqual(["`````diff", "`````"]);
    const at = lines.indexOf("`````diff");
    expect(outside.every((line) => lines.indexOf(line) > at && lines.indexOf(line) < lines.indexOf("`````"))).toBe(true);
    expect(lines.join("\n")).not.toContain("\u202e");
  });
});

describe("what a report says", () => {
  it.each<[Partial<AuditEntry>, string | null]>([
    [{ outcome: "ok", approved_by: "rules" }, null],
    [{ outcome: "ok", approved_by: "dry run" }, null],
    [{ outcome: "ok", approved_by: "ada" }, "yes, by ada"],
    [{ outcome: "denied", refused_by: "ada" }, "no, by ada"],
    [{ outcome: "denied", gate: "policy" }, null],
    [{ outcome: "unanswered" }, "nobody answered"],
    [{ outcome: "unanswered", waiting: true }, "left for later"],
  ])("about who answered: %j", (fields, answer) => {
    expect(personsAnswer(entry(fields))).toBe(answer);
  });

  it.each<[Partial<AuditEntry>, string]>([
    [{ approved_by: "rules" }, "allowed by the rules"],
    [{ approved_by: "rules", grant: "session" }, "an earlier answer, for the session"],
    [{ gate: "policy", rule: "rule[0] deny" }, "policy, rule[0] deny"],
    [
      {
        gate: "policy",
        objections: [
          { gate: "policy", kind: "deny", rule: "r" },
          { gate: "permissions", kind: "ask", rule: null },
        ],
      },
      "policy; also permissions: ask",
    ],
    [{}, ""],
  ])("about who decided: %j", (fields, words) => {
    expect(whoDecides(entry(fields))).toBe(words);
  });

  it.each<[Partial<AuditEntry>, string, string]>([
    [{ url: "https://a.example/x", host: "a.example", status: 200, bytes: 12 }, "https://a.example/x", "status 200, 12 bytes read"],
    [{ host: "a.example", blocked: "a closed address" }, "a.example", "held back: a closed address"],
    [{ host: "a.example", failed: "no answer" }, "a.example", "failed: no answer"],
    [{ host: "a.example", port: 443, verdict: "ok", sent: 5, received: 6 }, "a.example:443", "5 bytes sent, 6 received"],
    [
      { host: "a.example", port: 443, verdict: "refused", how: "closed", why: "no rule", times: 3 },
      "a.example:443",
      "held back: no rule, 3 times",
    ],
    [{ host: "a.example", port: 443, verdict: "refused", how: "unreachable", why: "no route" }, "a.example:443", "failed: no route"],
  ])("about what went out: %j", (fields, to, how) => {
    expect(wentTo(entry({ kind: "egress", ...fields }))).toEqual({ to, how });
  });
});
