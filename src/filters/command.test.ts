import { describe, expect, it } from "vitest";
import { speakersOf, subjectOf } from "./command.ts";

/** The form the built-in rules match, and whether the text was asked for as it is. */
const known = (command: string) => {
  const subject = subjectOf(command);
  return subject && { form: subject.forms.at(-1), verbatim: subject.verbatim };
};

describe("whose output it is", () => {
  it.each([
    ["cargo test", "cargo test"],
    ["cd /home/me/project && cargo clippy --workspace -- -D warnings 2>&1", "cargo clippy --workspace -- -D warnings"],
    ["cargo test 2>&1 | tail -80", "cargo test"],
    ["cargo test 2>&1 | tee out.txt | head -n 50", "cargo test"],
    ["npm test || true", "npm test"],
    ["set -e; export CI=1; make -C sub -j4 all", "make all -C sub -j4"],
    ["FOO=1 BAR=2 pytest -q", "pytest -q"],
    ["time pytest -q", "pytest -q"],
    ["timeout 60 env A=b nice -n 5 pytest", "pytest"],
    ["python3 -m pytest tests", "pytest tests"],
    ["python3 -u -m pytest", "pytest"],
    ["npx -y pnpm@9 install", "pnpm install"],
    ["npx --yes -p typescript tsc --noEmit", "tsc --noEmit"],
    ["pnpm exec eslint src", "eslint src"],
    ["./node_modules/.bin/tsc -p .", "tsc -p ."],
    ["/usr/bin/git -C sub --no-pager -c color.ui=always log -3", "git log -3 -C sub --no-pager -c color.ui=always"],
    ["kubectl --namespace=kube-system get pods", "kubectl get pods --namespace=kube-system"],
    ["cargo +nightly --locked build", "cargo build --locked"],
    ["./gradlew test", "gradle test"],
    ["bash -lc 'cd x && npm run build'", "npm run build"],
    ["(cd sub && go test ./...)", "go test ./..."],
    ["{ go test ./...; } 2>&1", "go test ./..."],
    ["git status > /dev/null; go vet ./...", "go vet ./..."],
    ["cargo build && echo done", "cargo build"],
    ["git add -A && git commit -m x", "git commit -m x"],
    ["uv run --with x pytest -q", "pytest -q"],
    ["docker-compose up", "docker compose up"],
    ["for f in *.c; do gcc -c $f; done", "gcc -c $f"],
    ["f() { make; }; f", "make"],
    ["if ! cargo build; then exit 1; fi", "cargo build"],
    ["while read f; do php -l $f; done < list", "php -l $f"],
    ["find . -name '*.php' | while read f; do php -l $f; done | tail -5", "php -l $f"],
    ["(cd a && make) 2>&1 | tee log", "make"],
    ["git ls-files '*.js' | xargs -n 20 npx eslint", "eslint"],
    ["case $1 in a) make;; *) :;; esac", "make"],
    ["npm start &", "npm start"],
    ["cat > x.txt <<'EOF'\ntext\nEOF\npython3 x.py", "python x.py"],
  ])("%s", (command, form) => {
    expect(known(command)).toEqual({ form, verbatim: null });
  });

  it.each(["git status && npm test", "cargo fmt; cargo test", "if make; then make test; fi", "echo a; echo b", "make 'unfinished", ""])(
    "of nobody in particular: %s",
    (command) => {
      expect(subjectOf(command)).toBeNull();
    },
  );

  it("keeps what was written as a form too, so that rules can name it", () => {
    expect(subjectOf("cd x && FOO=1 npx eslint 'src dir'")!.forms).toEqual([
      "cd x && FOO=1 npx eslint 'src dir'",
      "npx eslint 'src dir'",
      "npx eslint src dir",
      "eslint src dir",
    ]);
  });
});

describe("the speakers of a command line", () => {
  const speakers = (command: string) => speakersOf(command).map(({ words }) => words.join(" "));

  it.each([
    ["cd x && npm ci && npm test 2>&1 | tail -50", ["npm ci", "npm test"]],
    ["git add -A && git commit -m x && git push", ["git commit -m x", "git push"]],
    ["(cd a && make) && ./run", ["make", "run"]],
    ["if ! cargo build; then cargo clean; else cargo test; fi", ["cargo build", "cargo clean", "cargo test"]],
    ["for p in a b; do (cd $p && npm i && npm test); done", ["npm i", "npm test"]],
    ["make -j8 2>&1 | tee log; ls -la", ["make -j8", "ls -la"]],
    ["(make; make test) 2>&1 | tail -20", ["make", "make test"]],
    ["(make; make test) 2>&1 | grep -i error", ["grep -i error"]],
    ["bash -c 'make && make test'; git status", ["make", "make test", "git status"]],
    ["build() { make; }; build && build && ./run", ["make", "run"]],
    ["make 'unfinished", []],
  ])("%s", (command, expected) => {
    expect(speakers(command)).toEqual(expected);
  });

  it("tells who may print again, and at any time", () => {
    expect(speakersOf("npm start & curl localhost").map(({ anytime }) => anytime)).toEqual([true, false]);
    expect(speakersOf("for f in *; do php -l $f; done").map(({ anytime }) => anytime)).toEqual([true]);
  });

  it("knows what echo announces before each, as far as it is plain", () => {
    const announced = (command: string) => speakersOf(command).map(({ announced }) => announced);
    expect(announced('echo "== lint"; npm run lint; echo; npm test')).toEqual(["== lint", null]);
    expect(announced('for p in a b; do echo "== $p of all"; make $p; done')).toEqual([null]);
    expect(announced('for p in a b; do echo "=== $p"; make $p; done')).toEqual(["==="]);
  });

  it("gives up on functions that call each other for ever", () => {
    expect(speakersOf("f() { f; f; }; f")).toEqual([]);
  });
});

describe("what was asked for as it is", () => {
  it.each([
    ["cat src/a.ts", "text"],
    ["cd x && head -n 5 a", "text"],
    ["cat a | head -5", "text"],
    ["sed -n 1,20p a", "text"],
    ["jq . a.json", "text"],
    ["git show HEAD:src/a.ts", "text"],
    ["git blame a", "rows"],
    ["git log --oneline -n 300", "lines"],
    ["git -C x diff --stat", "lines"],
    ["git status -sb", "lines"],
    ["git status --porcelain=v2", "lines"],
    ["kubectl get pods -o json", "lines"],
    ["cargo build --message-format=json", "lines"],
    ["npx eslint -f json src", "lines"],
    ["npm test | grep FAIL", "lines"],
    ["git log --format=%h", "lines"],
    ["git log --pretty=fuller", "lines"],
    ["docker ps --format '{{.Names}}'", "lines"],
    ["kubectl get pods -o=jsonpath={.items}", "lines"],
    ["ls | sort", "rows"],
    ["ls | wc -l", "lines"],
    ["git ls-files", "lines"],
    ["sha256sum a b", "lines"],
    ["cat a | sort", "text"],
    ["sort a.txt", "text"],
    ["ps aux | grep node", "rows"],
    ["psql -c 'select 1'", "rows"],
    ["npx vitest run --reporter=json", "lines"],
  ])("%s is %s", (command, verbatim) => {
    expect(known(command)?.verbatim).toBe(verbatim);
  });

  it.each([
    "npx vitest run --reporter=verbose",
    "node --test --test-reporter=spec",
    "git log -n 60",
    "find . -name '*.ts' | sort",
    "fd -e ts | grep -v test | sort -u | head -20",
    "go build -o out ./...",
    "docker build -f Dockerfile .",
    "npx esbuild a.ts --bundle --format=esm",
    "npx playwright test --reporter=line",
    "rspec --format documentation",
  ])("%s is not", (command) => {
    expect(known(command)?.verbatim).toBeNull();
  });
});
