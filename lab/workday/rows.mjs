/**
 * What a developer's agent types in a day. A row works when its last command ends with 0 and prints `out`; a `said` row has to fail with such words.
 * `needs`: programs without which the row is skipped. `asks`: how many questions are to be expected; none where it is absent.
 */
const row =
  (group) =>
  (id, cwd, cmd, out, more = {}) => ({ id, group, cwd, out, ...(Array.isArray(cmd) ? { steps: cmd } : { cmd }), ...more });
const [git, node, python, compiled, files, serve, day, said] = ["git", "node", "python", "compiled", "files", "serve", "day", "said"].map(
  row,
);

export const ROWS = [
  git("status", "app", "git status -sb", "main"),
  git(
    "commit as the person",
    "app",
    "echo x > new && git add -A && git commit -qm 'add new' && git log -1 --format='%an <%ae>'",
    "Dev Eloper <dev@example.org>",
  ),
  git("alias of the person", "app", "git st", "main"),
  git("ignored by the person", "app", "touch a.swp && git check-ignore a.swp", "a.swp"),
  git(
    "switch and merge",
    "app",
    "git switch -q other && echo o > o && git add o && git commit -qm o && git switch -q main && git merge -q --no-edit other && git log --oneline -2",
    " o",
  ),
  git(
    "rebase",
    "app",
    "git switch -qc topic HEAD~0 && echo t > t && git add t && git commit -qm t && git switch -q main && echo m > m && git add m && git commit -qm m && git rebase -q main topic && git log --oneline -1",
    " t",
  ),
  git("stash", "app", "echo z >> a.txt && git stash -q && git stash pop -q && tail -1 a.txt", "z"),
  git("tag and blame", "app", "git tag -a v1 -m one && git tag && git blame a.txt | head -1", "v1"),
  git("clean clone inside", "app", "git clone -q . ./copy && ls copy/a.txt", "a.txt"),
  git(
    "init in a plain folder",
    "plain",
    "git init -q fresh && cd fresh && echo a > a && git add a && git commit -qm first && git log --oneline",
    "first",
  ),
  git(
    "package of a monorepo",
    "mono/packages/app",
    "echo x > new && git add -A && git commit -qm inner && git status --short | wc -l && git log --oneline -1",
    "inner",
  ),
  git("worktree", "wt-feature", "echo b > b && git add -A && git commit -qm inwt && git log --oneline -1", "inwt"),
  git("submodule", "super/lib", "echo b > b && git add -A && git commit -qm insub && git log --oneline -1", "insub"),
  git("hook of the project runs", "husky", "echo b > b && git add -A && git commit -qm hooked && cat .hook-ran", "hook ran"),
  git("push to a file", "app", "git push -q origin HEAD:refs/heads/agent && echo pushed", "pushed", { asks: 1 }),
  node("versions", "app", "node -v && command -v node", "v\\d", { needs: ["node"] }),
  node("script of a package", "pkg", "npm test --silent", "tests ok", { needs: ["node", "npm"] }),
  node("node's own tests", "pkg", "node --test test/", "pass 1", { needs: ["node"] }),
  node("hoisted package of a monorepo", "mono/packages/app", "node test.cjs", "answer 42", { needs: ["node"] }),
  node("npx of the project", "pkg", "npx --no-install hello", "hello from bin", { needs: ["node", "npm"] }),
  node(
    "npm run in the background",
    "pkg",
    [
      { cmd: "PORT=4310 npm run --silent dev", background: true },
      { cmd: "for i in $(seq 50); do curl -sf http://localhost:4310/x && break; sleep 0.2; done" },
    ],
    "hello /x",
    { needs: ["node", "npm", "curl"] },
  ),
  python("system", "py", "python3 -c 'print(6*7)'", "42", { needs: ["python3"] }),
  python(
    "virtual environment",
    "py",
    "source .venv/bin/activate && python -c 'import sys, helper; print(helper.word, sys.prefix)'",
    "helped .*\\.venv",
    { needs: ["python3"] },
  ),
  python("unittest", "py", ".venv/bin/python -m unittest -q 2>&1 && echo passed", "passed", { needs: ["python3"] }),
  python("make a virtual environment", "plain", "python3 -m venv --without-pip env && env/bin/python -c 'print(\"fresh\")'", "fresh", {
    needs: ["python3"],
  }),
  compiled("make", "c", "make -s test", "c ok", { needs: ["make", "cc"] }),
  compiled("compile into /tmp", "c", "cc -o /tmp/a a.c && /tmp/a", "c ok", { needs: ["cc"] }),
  compiled("cmake", "c", "cmake -S . -B build > /dev/null && cmake --build build > /dev/null && ./build/a", "c ok", {
    needs: ["cmake", "cc"],
    seconds: 90,
  }),
  compiled("cargo test", "rust", "cargo test 2>&1", "1 passed", { needs: ["cargo"], seconds: 110 }),
  compiled("cargo run", "rust", "cargo run -q", "rust 3", { needs: ["cargo"], seconds: 110 }),
  compiled("go test", "go", "go test ./...", "ok", { needs: ["go"], seconds: 110 }),
  compiled("go build and vet", "go", "go vet ./... && go build -o g . && ./g", "go 3", { needs: ["go"], seconds: 110 }),
  compiled("javac", "java", "javac -d out A.java && java -cp out A", "java ok", { needs: ["javac", "java"], seconds: 90 }),
  files("make, copy, move", "plain", "mkdir -p x/y && cp a.txt x/y/ && mv x/y/a.txt x/b.txt && cat x/b.txt", "hello"),
  files("remove what was made", "plain", "touch junk && rm junk && echo gone", "gone"),
  files("temporary files", "plain", 'f=$(mktemp) && echo temp > "$f" && cat "$f"', "temp"),
  files("find and count", "app", "find . -name '*.txt' -not -path './.git/*' | xargs wc -l", "a.txt"),
  files("a script of one's own", "plain", "printf '#!/bin/sh\\necho script\\n' > s.sh && chmod +x s.sh && ./s.sh", "script"),
  files("archive", "plain", "tar czf a.tgz a.txt && tar tzf a.tgz", "a.txt"),
  files("sed in place", "plain", "sed -i s/hello/world/ a.txt && cat a.txt", "world"),
  files("/tmp from one command to the next", "plain", [{ cmd: "echo kept > /tmp/kept" }, { cmd: "cat /tmp/kept" }], "kept"),
  files(
    "cache from one command to the next",
    "plain",
    [{ cmd: "mkdir -p ~/.cache/x && echo cached > ~/.cache/x/y" }, { cmd: "cat ~/.cache/x/y" }],
    "cached",
  ),
  serve(
    "a server and a client in one command",
    "plain",
    "python3 -m http.server 4301 > log 2>&1 & sleep 1.5; curl -s http://127.0.0.1:4301/a.txt; kill %1",
    "hello",
    { needs: ["python3", "curl"] },
  ),
  serve(
    "a server in the background",
    "plain",
    [
      { cmd: "python3 -m http.server 4302", background: true },
      { cmd: "for i in $(seq 50); do curl -sf http://localhost:4302/a.txt && break; sleep 0.2; done" },
    ],
    "hello",
    { needs: ["python3", "curl"] },
  ),
  serve(
    "its log",
    "plain",
    [{ cmd: "for i in 1 2 3; do echo line $i; sleep 0.1; done > log", background: true }, { cmd: "sleep 1.5; cat log" }],
    "line 3",
  ),
  serve(
    "a socket with a name",
    "plain",
    'python3 -c \'import socket; s=socket.socket(socket.AF_UNIX); s.bind("s.sock"); print("bound")\'',
    "bound",
    { needs: ["python3"] },
  ),
  day("tools of the person", "plain", "mine && mycargo && mytool && nodetool && pytool", "tool"),
  day("many processes", "plain", "for i in $(seq 150); do sleep 0.5 & done; wait; echo all", "all"),
  day("40 seconds", "plain", "sleep 40; echo patient", "patient", { seconds: 60 }),
  day("long output", "plain", "seq 1 20000 | tail -1", "20000"),
  day("where it was", "app", [{ cmd: "cd sub" }, { cmd: "pwd" }], "sub"),
  day("language and name", "plain", "echo $LANG $(id -un)", "UTF-8 \\w"),
  day("code on the command line", "plain", 'python3 -c \'open("made","w").write("x")\' && node -e \'console.log(1+1)\'', "2", {
    needs: ["python3", "node"],
  }),
  said("the network is closed", "plain", "git ls-remote https://git.example/x/y.git", "sandbox|wall|network is closed|domain", {
    seconds: 60,
  }),
  said(
    "pip has no way out",
    "py",
    ".venv/bin/python -c 'import urllib.request; urllib.request.urlopen(\"https://pip.example/\", timeout=5)'",
    "sandbox|wall|network is closed|domain",
    { needs: ["python3"], seconds: 60 },
  ),
  said("git's settings are protected", "app", "git config core.hooksPath /tmp/evil", "protected|sandbox|wall|read-only"),
  said("a key is not there", "app", "cat {{home}}/.ssh/id_ed25519", "sandbox|wall|not visible"),
  said(
    "Docker is not there",
    "app",
    "docker ps || curl -s --unix-socket {{docker}} http://x/ || { echo 'Cannot connect to the Docker daemon at unix://{{docker}}' >&2; exit 1; }",
    "docker|sandbox|wall",
  ),
];
