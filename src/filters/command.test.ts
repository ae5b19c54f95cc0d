import { describe, expect, it } from "vitest";
import { subjectOf } from "./command.ts";

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
  ])("%s", (command, form) => {
    expect(known(command)).toEqual({ form, verbatim: null });
  });

  it.each([
    "git status && npm test",
    "cargo fmt; cargo test",
    "for f in *.c; do gcc -c $f; done",
    "if make; then make test; fi",
    "f() { make; }; f",
    "echo a; echo b",
    "make 'unfinished",
    "",
  ])("of nobody in particular: %s", (command) => {
    expect(subjectOf(command)).toBeNull();
  });

  it("keeps what was written as a form too, so that rules can name it", () => {
    expect(subjectOf("cd x && FOO=1 npx eslint 'src dir'")!.forms).toEqual([
      "cd x && FOO=1 npx eslint 'src dir'",
      "npx eslint 'src dir'",
      "npx eslint src dir",
      "eslint src dir",
    ]);
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
    ["git blame a", "text"],
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
    ["find . -name '*.ts' | sort", "text"],
    ["ls | wc -l", "text"],
    ["npx vitest run --reporter=json", "lines"],
  ])("%s is %s", (command, verbatim) => {
    expect(known(command)?.verbatim).toBe(verbatim);
  });

  it.each([
    "npx vitest run --reporter=verbose",
    "node --test --test-reporter=spec",
    "git log -n 60",
    "go build -o out ./...",
    "docker build -f Dockerfile .",
    "npx esbuild a.ts --bundle --format=esm",
    "npx playwright test --reporter=line",
    "rspec --format documentation",
  ])("%s is not", (command) => {
    expect(known(command)?.verbatim).toBeNull();
  });
});
