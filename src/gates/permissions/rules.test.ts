import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Facts } from "../../core/ports/facts.ts";
import { understand } from "../../shell/understand.ts";
import { commandSubjects, compileRules, firstPermissionRule, type RuleAsWritten, type RuleSubject } from "./rules.ts";

const facts = { cwd: "/w", home: "/h", canonical: (path: string) => path, entry: (path: string) => path } as Facts;
const whole = { identity: () => "", caller: undefined };
const STRICTNESS = { allow: 0, none: 1, ask: 2, deny: 3 };
type Answer = keyof typeof STRICTNESS;

/** The strictest answer of the rules to a command; `change` may take something from its subjects. */
function answerTo(command: string, rules: readonly RuleAsWritten[], change = (subject: RuleSubject): RuleSubject => subject): Answer {
  const compiled = compileRules(rules, facts);
  const answers = commandSubjects(command, understand(command), facts).map(
    (subject): Answer => firstPermissionRule(compiled, change(subject), whole)?.action ?? "none",
  );
  return answers.reduce((worst, answer) => (STRICTNESS[answer] > STRICTNESS[worst] ? answer : worst));
}

describe("a rule for a command", () => {
  const globally = (options: string) => `git ${options} push origin main`;
  const SPELLINGS = [
    "/usr/bin/git push origin main",
    "git -C . push origin main",
    "git -c a=b push origin main",
    "/opt/git/bin/git -C /x -c a=b --no-pager push",
    "cd x && git --git-dir=.git push",
    "FOO=1 git -C . push",
    ...[
      "-C .",
      "-c a=b",
      "--git-dir .git",
      "--git-dir=.git",
      "--work-tree .",
      "--namespace x",
      "--super-prefix x/",
      "--super-prefix=x/",
    ].map(globally),
    ...["--config-env a=B", "--config-env=a=B", "--attr-source HEAD", "--attr-source=HEAD", "--shallow-file x", "--exec-path=/x"].map(
      globally,
    ),
    ...["-p", "-P", "--paginate", "--no-pager", "--bare", "--no-replace-objects", "--no-lazy-fetch", "--no-optional-locks"].map(globally),
    ...["--no-advice", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs"].map(globally),
    ...["--of-tomorrow", "--of-tomorrow x", "-Z x", "--of-tomorrow=x", "-C . --of-tomorrow x y"].map(globally),
    "/usr/lib/git-core/git-push origin",
    "command -p git --no-pager push",
    "sudo -u me -- git push",
    "env -S 'git -C . push'",
    "echo main | xargs -n1 git push origin",
  ];
  it.each(SPELLINGS)("that denies or asks about git push holds for %s", (command) => {
    for (const action of ["ask", "deny"] as const)
      expect(
        answerTo(command, [
          { pattern: "git push*", action },
          { pattern: "*", action: "allow" },
        ]),
      ).toBe(action);
  });
  it.each(SPELLINGS)("that allows git push does not hold for %s", (command) => {
    expect(answerTo(command, [{ pattern: "git push*", action: "allow" }])).not.toBe("allow");
  });
  it("that allows another spelling and comes first still holds", () => {
    const rules = [
      { pattern: "/usr/bin/git push origin dev", action: "allow" },
      { pattern: "git push*", action: "deny" },
    ] as const;
    expect(answerTo("/usr/bin/git push origin dev", rules)).toBe("allow");
    expect(answerTo("/usr/bin/git push origin main", rules)).toBe("deny");
  });
  it("that asks about another spelling does not stand before one that denies what was written", () => {
    const rules = [
      { pattern: "git push*", action: "ask" },
      { pattern: "/usr/bin/*", action: "deny" },
    ] as const;
    expect(answerTo("/usr/bin/git push", rules)).toBe("deny");
  });

  const word = fc.constantFrom("push", "status", "-C", ".", "-c", "a=b", "origin", "--no-pager", "--", "x");
  const program = fc.constantFrom("git", "/usr/bin/git", "./git", "GIT", "git.exe", "git-push", "rm", "/bin/rm");
  const command = fc.tuple(program, fc.array(word, { maxLength: 6 })).map(([name, words]) => [name, ...words].join(" "));
  const pattern = fc.oneof(
    command,
    command.map((text) => `${text}*`),
    fc.constantFrom("*", "git *", "/usr/bin/*", "git push*", "* push*"),
  );
  const rule = fc.record({ pattern, action: fc.constantFrom("allow", "ask", "deny") });
  it("never lets more in for its other spellings", () =>
    fc.assert(
      fc.property(command, fc.array(rule, { maxLength: 5 }), (text, rules) => {
        const before = answerTo(text, rules as RuleAsWritten[], ({ spellings: _, ...subject }) => subject);
        expect(STRICTNESS[answerTo(text, rules as RuleAsWritten[])]).toBeGreaterThanOrEqual(STRICTNESS[before]);
      }),
      { numRuns: 2000 },
    ));
});
