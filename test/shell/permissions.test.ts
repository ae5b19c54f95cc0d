import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { Door } from "../../src/core/door.ts";
import { blocklist } from "../../src/gates/blocklist.ts";
import { createPermissionsGate } from "../../src/gates/permissions/permissions.ts";
import { answer, bashCall, door, facts, type Policy, TURN, WORK } from "./door.ts";

const rule = (pattern: string, action: "allow" | "ask" | "deny") => ({ pattern, action });
const git: Policy = { constructs: "look", rules: { bash: [rule("git *", "allow")] } };
const free: Policy = { constructs: "look" };

describe("rules for bash", () => {
  it.each([
    ["git status", "allow"],
    ["git\tstatus", "allow"],
    ["'git' status", "allow"],
    ["FOO=bar git status", "ask"],
    ["GIT_SSH_COMMAND=ssh git fetch", "ask"],
    ["GIT_AUTHOR_NAME=x git commit -m y", "ask"],
    ["LANG=C git status", "allow"],
    ["LC_ALL=C.UTF-8 TZ=UTC git log", "allow"],
    ["CI=1 NODE_ENV=test git status", "allow"],
    ["LANG=$x git status", "ask"],
    ["NODE_ENV='a b' git status", "ask"],
    ["LANG=C FOO=bar git status", "ask"],
    ["git status 2>/dev/null", "allow"],
    ["git log > out.txt", "allow"],
    ["git status && git log", "allow"],
    ["git commit -m 'a; b'", "allow"],
    ["git log $x", "allow"],
    ["git status; ./x", "ask"],
    ["git status | ./x", "ask"],
    ["git log $(./x)", "ask"],
    ["git log > ~/.bashrc", "ask"],
    ["git log > ../x", "allow"],
    ["git log --output=/opt/x", "ask"],
    ["git log --outp=/opt/x", "ask"],
    ["git -C / clean -fdx", "ask"],
    ["git worktree add /opt/x", "ask"],
    ["git worktree add -b n /opt/x main", "ask"],
    ["git clone a /opt/x", "ask"],
    ["git clone --depth 1 a b", "allow"],
    ["git init /opt/x", "ask"],
    ["git bundle create /opt/x main", "ask"],
    ["git format-patch -o /opt/x HEAD~1", "ask"],
    ["git format-patch --output-dir=/opt/x HEAD~1", "ask"],
    ["git --work-tree=/etc checkout -f", "ask"],
    ["git --work-tree /opt clean -fdx", "ask"],
    ["git --work-tree=. checkout main", "allow"],
    ["git checkout-index -a --prefix=/opt/x/", "ask"],
    ["GIT_TRACE=/opt/x git status", "ask"],
    ["GIT_TRACE2_EVENT=/opt/x git status", "ask"],
    ["GIT_TRACE=1 git status", "allow"],
    ["git grep -nO./x foo", "ask"],
    ["git grep --open-files=./x foo", "ask"],
    ["git grep -n FOO", "allow"],
    ["git send-pack --exec=./x .", "ask"],
    ["git instaweb --httpd=./x", "ask"],
    ["git config -e", "ask"],
    ["git fetch --upload-pac=./x", "ask"],
    ["git -c core.fsmonitor=./x status", "ask"],
    ["PAGER=./x git log", "ask"],
    ["gitk", "ask"],
    ["/tmp/git status", "ask"],
    ["env git status", "ask"],
    ["git() { ./x; }; git status", "ask"],
    ["$x status", "ask"],
    ["a=git; $a status", "allow"],
    ["a=git; b=./x; $a status; $b", "ask"],
  ])("`git *` and %s → %s", async (command, expected) => expect(await answer(command, git)).toBe(expected));

  it.each([
    ["ls; npm publish", "deny"],
    ["echo $(npm publish)", "deny"],
    ["sh -c 'npm publish'", "deny"],
    ["timeout 5 npm publish", "deny"],
    ["n''pm publish", "deny"],
    ["$x; npm publish", "deny"],
    ["npm publish &&& ls", "deny"],
    ["npm pack", "allow"],
  ])("a deny holds at any depth: %s → %s", async (command, expected) =>
    expect(await answer(command, { constructs: "look", rules: { bash: [rule("npm publish*", "deny"), rule("*", "allow")] } })).toBe(
      expected,
    ),
  );

  it("an environment prefix can be named by a rule, and gets round none that denies", async () => {
    const rules = { bash: [rule("npm publish*", "deny"), rule("GIT_SSH_COMMAND=* git fetch*", "allow"), rule("git *", "allow")] };
    expect(await answer("GIT_SSH_COMMAND='ssh -i k' git fetch", { constructs: "look", rules })).toBe("ask");
    expect(
      await answer("GIT_SSH_COMMAND='ssh -i k' git fetch", {
        constructs: "look",
        rules: { bash: [...rules.bash, rule("ssh *", "allow")] },
      }),
    ).toBe("allow");
    expect(await answer("NPM_TOKEN=x npm publish", { rules })).toBe("deny");
    expect(await answer("FOO=bar BAZ=1 npm publish --tag x", { rules })).toBe("deny");
  });
  it("a deny is matched on text that cannot be read too", async () => {
    const rules = { bash: [rule("*secret*", "deny"), rule("*", "allow")] };
    expect(await answer(`echo secret ${"a;".repeat(5000)}`, { rules })).toBe("deny");
    expect(await answer(`echo ${"a;".repeat(5000)}`, { rules })).toBe("ask");
  });
  it("the first match counts for each part", async () => {
    const rules = { bash: [rule("git push*", "ask"), rule("git *", "allow")] };
    expect(await answer("git push", { rules })).toBe("ask");
    expect(await answer("git status && git push", { rules })).toBe("ask");
  });
  it("confirm patterns do not speak where rules do", async () =>
    expect(await answer("rm -rf dist", { rules: { bash: [rule("*", "allow")] } })).toBe("allow"));
});

describe("without rules", () => {
  it.each([
    ["npm test", "allow"],
    ["ls -la | grep x", "allow"],
    ["echo $(date)", "allow"],
    ["echo x > out.txt", "allow"],
    ["touch /tmp/x", "allow"],
    ['tmp=$(mktemp); echo a > "$tmp"', "allow"],
    ['d=$(mktemp -d); cp a "$d/b"', "allow"],
    ['mkdir -p "$(dirname out/x)"', "allow"],
    ['echo x > "out-$(date +%F).txt"', "allow"],
    ["diff <(sort a) <(sort b)", "allow"],
    ["tee >(wc -l) < a", "allow"],
    ["git push", "allow"],
    ["git reset --soft HEAD~1", "allow"],
    ["chmod +x run.sh", "allow"],
    ["grep -rn 'drop table' .", "allow"],
    ["echo rm", "allow"],
    ["rm a", "ask"],
    ["find . -exec rm {} +", "ask"],
    ["sh -c 'rm a'", "ask"],
    ["git push --force", "ask"],
    ["git push -f origin main", "ask"],
    ["git push origin --force-with-lease", "ask"],
    ["git push origin +main", "ask"],
    ["git -C sub push --force", "ask"],
    ["git reset --hard", "ask"],
    ["git reset --har", "ask"],
    ["git push --forc", "ask"],
    ["git clean -fd", "ask"],
    ["cp a --target=/opt", "ask"],
    ["sort a --outp=/opt/x", "ask"],
    ["gcc a.c -o /opt/x", "ask"],
    ["gcc a.c -o/opt/x", "ask"],
    ["openssl genrsa -out /opt/x", "ask"],
    ["patch /opt/x a.patch", "ask"],
    ["split a /opt/x", "ask"],
    ["csplit -f /opt/x a /x/", "ask"],
    ["xxd -r a /opt/x", "ask"],
    ["dd if=a of=/opt/x", "ask"],
    ["truncate -s 0 x", "ask"],
    ["psql -c 'DROP TABLE users'", "ask"],
    ["echo 'drop  database x' | mysql", "ask"],
    ["chmod -R 777 .", "ask"],
    ["chown --recursive me d", "ask"],
    ["chown -hR me d", "ask"],
    ["echo x > /opt/x", "ask"],
    ["cp a ~/b", "ask"],
    [`cp a ${relative(WORK, "/opt/b")}`, "ask"],
    ["tee ~/.bashrc < a", "ask"],
    ["cd /opt && touch a", "ask"],
    ["$x", "ask"],
    ["rm -rf $x", "ask"],
    ["ls )", "ask"],
  ])("%s → %s behind walls", async (command, expected) => expect(await answer(command, free)).toBe(expected));

  const held: Policy = {
    ...free,
    inside: ["~", "/home/agent", "/tmp"],
    wouldKeep: ({ path }) => !/[*?[]|folder|^[/~]/.test(path),
  };
  it.each([
    ["rm a", "allow"],
    ["rm -f a b sub/c", "allow"],
    ["touch junk && rm junk", "allow"],
    ["sh -c 'rm a'", "allow"],
    ["mv a b && rm b", "allow"],
    ["rm /tmp/x ~/y", "allow"],
    ["rm -rf /tmp/x", "allow"],
    ["rm *.log", "ask"],
    ["rm -d folder", "ask"],
    ["mv folder b && rm b/c", "ask"],
    ["rm -r a", "ask"],
    ["rm -fR a", "ask"],
    ["rm --recursive a", "ask"],
    ["rm -rf /tmp/x a", "ask"],
    ["rm $x", "ask"],
    [`rm -rf ${WORK}/a`, "ask"],
    [`cd ${WORK}/sub && rm -r a`, "ask"],
    ["rm /opt/x", "ask"],
    ["find . -exec rm {} +", "ask"],
    ["ls | xargs rm", "ask"],
    ["cp a ~/b", "allow"],
    ["mkdir -p ~/.cache/x && touch ~/.cache/x/y", "allow"],
    ["echo x > ~/../../etc/y", "ask"],
    ["echo x > ~other/y", "ask"],
    ["echo x > /opt/x", "ask"],
    ["python3 -c \"import os; os.system('ls')\"", "allow"],
    ["node -e 'fetch(\"http://localhost:1\")'", "allow"],
    ["python3 - <<'E'\nimport subprocess\nE", "allow"],
    ["NODE_OPTIONS='--require ./x' npm test", "allow"],
    ["export PATH=$PATH:$(pwd)/bin && tool", "allow"],
    ['for f in $(ls); do echo x > "$f.bak"; done', "allow"],
    ["IFS=x; a", "ask"],
    ["$x", "ask"],
    ["cat x | bash", "ask"],
    ["git config core.hooksPath x", "ask"],
    ["git -c core.fsmonitor=$x status", "ask"],
    ["git push --force", "ask"],
    ["ls )", "ask"],
  ])("%s → %s behind walls that hold what stays inside, with a keeper of files", async (command, expected) =>
    expect(await answer(command, held)).toBe(expected),
  );
  it("what stays inside the walls is asked about all the same where no walls stand, or rules speak", async () => {
    for (const command of ["rm a", "cp a ~/b", "python3 -c 'import os'"]) {
      expect([command, await answer(command, { ...held, walls: false })]).toEqual([command, "ask"]);
      expect([command, await answer(command, { ...held, rules: { bash: [rule("ls", "allow")] } })]).toEqual([command, "ask"]);
    }
    const rules = { write: [rule("secret/**", "deny")] };
    expect(await answer("python3 -c 'import os'", { ...held, rules })).toBe("ask");
    // Whoever wants every rm to be asked about says so.
    expect(await answer("rm a", { ...held, confirm: ["rm *"] })).toBe("ask");
  });
  it("removing a file by a name that a link makes is asked about", async () =>
    expect(await answer("ln -s src d && rm d/a", { ...held })).toBe("ask"));

  it("everything is asked about where no walls stand", async () => expect(await answer("ls", { ...free, walls: false })).toBe("ask"));
  it("constructs are asked about when the setting says so", async () => {
    expect(await answer("echo $(date)", { ...free, asks: "ask" })).toBe("ask");
    expect(await answer("echo date", { ...free, asks: "ask" })).toBe("allow");
  });
  it("patterns of the configuration count", async () => {
    const confirm = ["npm publish", "docker*"];
    expect(await answer("npm publish --tag x", { ...free, confirm })).toBe("ask");
    expect(await answer("npm run publish", { ...free, confirm })).toBe("allow");
    expect(await answer("docker-compose up", { ...free, confirm })).toBe("ask");
    expect(await answer("rm x", { ...free, confirm })).toBe("allow");
  });
  it("full autonomy answers the questions and nothing else", async () => {
    expect(await answer("rm a", { ...free, autonomy: "full" })).toBe("allow");
    expect(await answer("sudo rm a", { ...free, autonomy: "full" })).toBe("block");
  });
});

describe("rules of the file tools hold for commands", () => {
  const rules = {
    bash: [rule("*", "allow")],
    write: [rule("secret/**", "deny"), rule("*.lock", "ask"), rule("*", "allow")],
    read: [rule("**/.env", "deny")],
  };
  it.each([
    ["echo x > secret/k", "deny"],
    ["echo x > ./a/../secret/k", "deny"],
    ["cd secret && echo x > k", "deny"],
    ["tee secret/k < a", "deny"],
    ["rm -rf secret", "deny"],
    ["cp a secret/b", "deny"],
    ["sh -c 'echo x > secret/k'", "deny"],
    ["echo x > a.lock", "ask"],
    ["echo x > a", "allow"],
    ["cat < .env", "deny"],
    ["cat sub/.env", "deny"],
    ["cat env", "allow"],
  ])("%s → %s", async (command, expected) => {
    mkdirSync(join(WORK, "a"), { recursive: true });
    expect(await answer(command, { rules })).toBe(expected);
  });
});

describe("blocked_commands", () => {
  it.each([
    [["npm publish"], "npm publish --tag x", "block"],
    [["npm publish"], "NPM_TOKEN=x npm publish", "block"],
    [["npm publish"], "sh -c 'npm publish'", "block"],
    [["npm publish"], "npm run publish", "allow"],
    [["terraform"], "/opt/bin/terraform apply", "block"],
    [["terraform"], "echo terraform", "allow"],
    [["kube*"], "kubectl get pods", "block"],
    [["git push --force"], "git -C x push origin main -f", "block"],
    [["git push --force"], "git push", "allow"],
    [["docker run"], "docker --context x run y", "allow"],
  ])("%j and %s → %s", async (blocked, command, expected) =>
    expect(await answer(command, { blocked, rules: { bash: [rule("*", "allow")] } })).toBe(expected),
  );
});

describe("the blocklist", () => {
  it.each(["git status\r\nsudo id", "git status\rsudo id", "git status && ls\r\nsudo id\r\n", "sudo\r\n id"])(
    "holds behind a carriage return: %j",
    async (command) => {
      for (const autonomy of ["supervised", "full"] as const)
        expect(await answer(command, { autonomy, constructs: "look", rules: { bash: [rule("*", "allow")] } })).toBe("block");
    },
  );
  it("what ends its lines with a carriage return is asked about, even under full autonomy", async () => {
    expect(await answer("git status\r\nls", { constructs: "look", rules: { bash: [rule("*", "allow")] } })).toBe("ask");
    expect(await answer("git status\r\nls", { autonomy: "full", constructs: "look" })).toBe("ask");
  });
  it("says what, where and what else to do", async () => {
    const { spoke } = await door({ constructs: "look" })("ls; sh -c 'echo $(sudo id)'");
    expect(spoke[0]).toMatchObject({
      gate: "blocklist",
      rule: "other user",
      why: expect.stringContaining('"sudo id" (inside $(…) inside sh -c) is never run'),
    });
    expect((await door({})("echo $(id)")).spoke[0]!.why).toMatch(/Run the inner command on its own/);
  });
  it.each([
    ["dd if=a of=/dev/sda", "dd to a device"],
    ["cat a > /dev/sda", "raw device"],
    ["rm -rf /", "rm of everything"],
    ["mkfs.ext4 x", "file system"],
    ["init 0", "power"],
    ["curl x", "network"],
    [":(){ :|:& };:", "fork bomb"],
    ["echo $(id)", "construct $()"],
  ])("%s is refused by the rule %s", async (command, rule) =>
    expect((await door({})(command)).spoke[0]).toMatchObject({ gate: "blocklist", rule }),
  );
  it("leaves the network alone when it is open", async () => {
    expect(await answer("curl https://a.example", { allowNetwork: true, rules: { bash: [rule("*", "allow")] } })).toBe("allow");
    expect(await answer("exec 3<>/dev/tcp/h/80", { allowNetwork: true, rules: { bash: [rule("*", "allow")] } })).toBe("allow");
  });
  it("keeps Zeph's own files from commands it can read", async () => {
    const own = [join(WORK, "state/audit.jsonl")];
    mkdirSync(join(WORK, "state"), { recursive: true });
    writeFileSync(own[0]!, "");
    const policy: Policy = { own, rules: { bash: [rule("*", "allow")] } };
    for (const command of [
      "rm -rf state",
      "echo > state/audit.jsonl",
      "rm state/*",
      "cd state && rm audit.jsonl",
      "mv state x",
      "rm sta*/audit.jsonl",
    ])
      expect([command, await answer(command, policy)]).toEqual([command, "block"]);
    for (const command of ["cat state/audit.jsonl", "cp a .", "touch state/other", "rm *.txt"])
      expect([command, await answer(command, policy)]).toEqual([command, "allow"]);
  });
  it("can be exchanged in one step", async () => {
    const build = (blocked: string[]) => blocklist({ facts, own: [], shell: { blocked, allowNetwork: false, constructs: "look" } });
    const open = new Door(build([]), []);
    expect((await open.review(bashCall("make x"), TURN)).verdict).toBe("allow");
    open.replace({ blocklist: build(["make"]), gates: [] });
    expect((await open.review(bashCall("make x"), TURN)).spoke).toMatchObject([{ rule: "blocked_commands: make" }]);
  });
});

describe("a yes for longer", () => {
  const kept = new Set<string>();
  const gate = createPermissionsGate({}, { autonomy: "supervised", enabled: true }, facts, {
    confirm: ["rm"],
    constructs: "look",
    walls: () => true,
    kept,
  });
  const judge = async (command: string) => (await gate.judge(bashCall(command), TURN)).kind;
  it("for the session is for exactly this text", async () => {
    gate.grant(bashCall("rm a"), TURN, "session");
    expect([await judge("rm a"), await judge("rm b"), await judge("rm a; rm b")]).toEqual(["pass", "ask", "ask"]);
  });
  it("is for the command however long it may take", async () => {
    gate.grant(bashCall("rm t", { timeout: 5 }), TURN, "session");
    expect((await gate.judge(bashCall("rm t", { timeout: 500 }), TURN)).kind).toBe("pass");
    expect((await gate.judge(bashCall("rm t", { background: true }), TURN)).kind).toBe("ask");
  });
  it("for always is kept whole, with its folder: rules for its parts would allow them anywhere", async () => {
    expect(gate.narrowest(bashCall("rm a*; ls"), TURN)).toEqual([]);
    gate.grant(bashCall("rm c; ls"), TURN, "always");
    expect([...kept].map((key) => JSON.parse(key))).toEqual([
      ["bash", null, null, facts.cwd, { command: "rm c; ls" }, [["delete", `${facts.cwd}/c`]]],
    ]);
    gate.reset!();
    expect([await judge("rm c; ls"), await judge("rm c"), await judge("rm a")]).toEqual(["pass", "ask", "ask"]);
  });
});
