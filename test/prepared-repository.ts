import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A folder as a command may leave it, and what happens when git obeys it: `program` writes into `proof`. */
export interface Prepared {
  readonly top: string;
  /** A folder outside. */
  readonly beside: string;
  readonly program: string;
}

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

/** A repository with two files, one of them in a folder. */
function begin({ top }: Prepared): void {
  git(top, "init", "-q", "-b", "main");
  mkdirSync(join(top, "in"));
  mkdirSync(join(top, "out/deep"), { recursive: true });
  for (const name of ["a.txt", "in/f", "out/deep/f"]) writeFileSync(join(top, name), `${name}\n`);
  writeFileSync(join(top, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
  git(top, "add", "-A");
  git(top, "commit", "-qm", "x");
}

const settings =
  (text: string, file = "config") =>
  (place: Prepared): void => {
    begin(place);
    const written = text.replaceAll("RUN", place.program).replaceAll("BESIDE", place.beside);
    writeFileSync(join(place.beside, "included"), `[core]\n\tfsmonitor = ${place.program}\n\thooksPath = ${place.beside}/hooks\n`);
    mkdirSync(join(place.beside, "hooks"));
    for (const hook of ["post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction"])
      symlinkSync(place.program, join(place.beside, "hooks", hook));
    appendFileSync(join(place.top, ".git", file), written);
    // Everything looks changed, so that git would look into the files.
    for (const name of ["a.txt", "in/f"]) writeFileSync(join(place.top, name), "other\n");
  };

function missingTree(place: Prepared): void {
  const tree = git(place.top, "rev-parse", "HEAD:out").trim();
  git(place.top, "config", "core.sparseCheckout", "true");
  git(place.top, "config", "core.sparseCheckoutCone", "true");
  git(place.top, "config", "index.sparse", "true");
  git(place.top, "sparse-checkout", "set", "--cone", "--sparse-index", "in");
  rmSync(join(place.top, ".git/objects", tree.slice(0, 2), tree.slice(2)));
}

/** The `.git` of another repository, moved beside and named from here. */
function movedAside(place: Prepared): string {
  settings("[core]\n\tfsmonitor = RUN\n")(place);
  const elsewhere = join(place.beside, "elsewhere");
  renameSync(join(place.top, ".git"), elsewhere);
  return elsewhere;
}

/** Each way in which a folder makes git start a program, wait for ever, or read without end. */
export const PREPARED: Readonly<Record<string, (place: Prepared) => void>> = {
  "core.fsmonitor": settings("[core]\n\tfsmonitor = RUN\n"),
  "core.hooksPath": settings("[core]\n\thooksPath = BESIDE/hooks\n"),
  "core.sshCommand, core.gitProxy and core.askPass": settings("[core]\n\tsshCommand = RUN\n\tgitProxy = RUN\n\taskPass = RUN\n"),
  "core.editor, core.pager and pager.*": settings(
    "[core]\n\teditor = RUN\n\tpager = RUN\n[pager]\n\tconfig = RUN\n\tls-files = RUN\n\tstatus = RUN\n",
  ),
  "filter.*": settings('[filter "evil"]\n\tclean = RUN\n\tsmudge = RUN\n\tprocess = RUN\n\trequired\n'),
  "diff.external, textconv and merge drivers": settings(
    '[diff]\n\texternal = RUN\n[diff "evil"]\n\ttextconv = RUN\n\tcommand = RUN\n[merge "evil"]\n\tdriver = RUN\n',
  ),
  "credential.helper": settings('[credential]\n\thelper = !RUN\n[credential "https://a.example"]\n\thelper = RUN\n'),
  "gpg.program": settings("[gpg]\n\tprogram = RUN\n[commit]\n\tgpgSign\n[log]\n\tshowSignature\n"),
  "include.path": settings("[include]\n\tpath = BESIDE/included\n"),
  includeIf: settings('[includeIf "gitdir:/**"]\n\tpath = BESIDE/included\n[includeIf "onbranch:main"]\n\tpath = BESIDE/included\n'),
  "config.worktree": (place) => {
    settings("[core]\n\tfsmonitor = RUN\n", "config.worktree")(place);
    appendFileSync(join(place.top, ".git/config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n");
  },
  "aliases with !": settings("[alias]\n\tst = !RUN\n"),
  "uploadpack and ext::": settings(
    '[remote "origin"]\n\turl = ext::RUN\n\tuploadpack = RUN\n\treceivepack = RUN\n[protocol "ext"]\n\tallow = always\n',
  ),
  "submodule.*.update": (place) => {
    settings('[submodule "out"]\n\tupdate = !RUN\n\turl = ext::RUN\n\tactive = true\n')(place);
    writeFileSync(join(place.top, ".gitmodules"), `[submodule "out"]\n\tpath = out\n\turl = ext::${place.program}\n`);
  },
  "a partial clone that lacks a folder": (place) => {
    begin(place);
    missingTree(place);
    appendFileSync(
      join(place.top, ".git/config"),
      `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ${place.beside}\n\tpromisor = true\n\tuploadpack = "${place.program}; #"\n`,
    );
  },
  "alternates that lead to a pipe": (place) => {
    settings("")(place);
    mkdirSync(join(place.beside, "objects/pack"), { recursive: true });
    execFileSync("mkfifo", [join(place.beside, "objects/info")]);
    writeFileSync(join(place.top, ".git/objects/info/alternates"), `${place.beside}/objects\n`);
  },
  "a .git file that leads to another folder": (place) => {
    const elsewhere = movedAside(place);
    writeFileSync(join(place.top, ".git"), `gitdir: ${elsewhere}\n`);
  },
  "a worktree of another folder": (place) => {
    const elsewhere = movedAside(place);
    mkdirSync(join(elsewhere, "worktrees/w"), { recursive: true });
    for (const name of ["HEAD", "index"]) writeFileSync(join(elsewhere, "worktrees/w", name), readFileSync(join(elsewhere, name)));
    writeFileSync(join(elsewhere, "worktrees/w/commondir"), "../..\n");
    writeFileSync(join(elsewhere, "worktrees/w/gitdir"), `${place.top}/.git\n`);
    writeFileSync(join(place.top, ".git"), `gitdir: ${elsewhere}/worktrees/w\n`);
  },
  "a .git that is a link": (place) => symlinkSync(movedAside(place), join(place.top, ".git")),
  "a bare repository in the folder itself": (place) => {
    const elsewhere = movedAside(place);
    for (const name of ["HEAD", "config", "objects", "refs", "index"]) renameSync(join(elsewhere, name), join(place.top, name));
    appendFileSync(join(place.top, "config"), `[core]\n\tbare = false\n\tworktree = ${place.top}\n`);
  },
  "a .git that is a pipe": ({ top }) => void execFileSync("mkfifo", [join(top, ".git")]),
  ...Object.fromEntries(
    ["HEAD", "config", "index", "commondir", "info/exclude"].map((name) => [
      `.git/${name} that is a pipe`,
      (place: Prepared) => {
        begin(place);
        rmSync(join(place.top, ".git", name), { force: true });
        execFileSync("mkfifo", [join(place.top, ".git", name)]);
      },
    ]),
  ),
  "a .gitignore that is a pipe": (place) => {
    begin(place);
    execFileSync("mkfifo", [join(place.top, ".gitignore")]);
  },
  "settings and an index without end": (place) => {
    begin(place);
    rmSync(join(place.top, ".git/index"));
    symlinkSync("/dev/zero", join(place.top, ".git/index"));
    writeFileSync(join(place.top, ".git/config"), `[core]\n\tbare = false\n${"# more and more\n".repeat(2 ** 20)}`);
  },
};

/** A program that says that it ran. It stands for every word of a setting, and answers nothing. */
export function recordingProgram(folder: string, proof: string, name = "run"): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> '${proof}'\nexit 1\n`);
  chmodSync(file, 0o755);
  return file;
}
