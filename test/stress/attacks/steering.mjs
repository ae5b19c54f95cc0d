/** Making the next command see more: what a command writes must not decide what is opened. */
const look = (folder) => `ls {{home}}/${folder} && cat {{home}}/${folder}/* && echo ESCAPED`;

export const STEERING = [
  {
    id: "gitfile-planted",
    about: "a .git file that names a private folder",
    cwd: "{{home}}/src/plain",
    steps: [{ cmd: "echo 'gitdir: {{home}}/.aws' > .git; mkdir -p sub; cp .git sub/" }, { cmd: look(".aws") }],
  },
  {
    id: "gitfile-planted-for-later",
    about: "the same, seen by the next session",
    cwd: "{{home}}/src/plain",
    steps: [{ cmd: "echo 'gitdir: {{home}}/.kube' > .git" }, { session: 1, cmd: look(".kube") }],
  },
  {
    id: "gitfile-swapped",
    about: "a worktree's .git file that is exchanged",
    cwd: "{{home}}/src/wt-feature",
    steps: [{ cmd: "rm -f .git; echo 'gitdir: {{home}}/.ssh' > .git" }, { session: 1, cmd: look(".ssh") }],
  },
  {
    id: "gitfile-to-neighbour",
    about: "a .git file that names another worktree's folder",
    cwd: "{{home}}/src/plain",
    steps: [
      { cmd: "echo 'gitdir: {{home}}/src/wt/.git/worktrees/wt-other' > .git" },
      { session: 1, cmd: "echo evil > {{home}}/src/wt/.git/worktrees/wt-other/HEAD && echo ESCAPED" },
    ],
  },
  {
    id: "commondir-planted",
    about: "a git folder that says its common folder is elsewhere",
    cwd: "{{home}}/src/plain",
    steps: [
      { cmd: "git init -q .; echo {{home}}/.aws > .git/commondir; echo {{home}}/.aws/objects > .git/objects/info/alternates" },
      { session: 1, cmd: look(".aws") },
    ],
  },
  {
    id: "worktree-record-swapped",
    about: "git's record of a worktree that names another place",
    cwd: "{{home}}/src/wt-feature",
    steps: [
      { cmd: "d=$(git rev-parse --git-dir); echo {{home}}/.docker > $d/commondir; echo {{home}}/.docker/x > $d/gitdir" },
      { session: 1, cmd: look(".docker") },
    ],
  },
  {
    id: "fake-repository-above",
    about: "a git folder in a subfolder that claims the one above",
    cwd: "{{home}}/src/app/sub",
    prepare: "mkdir -p {{home}}/src/plain/sub",
    steps: [{ cmd: "git init -q .; git config core.worktree {{home}}/.gnupg" }, { session: 1, cmd: look(".gnupg/private-keys-v1.d") }],
  },
  {
    id: "linked-program",
    about: "a link on PATH through the workspace, led to a private folder",
    cwd: "{{home}}/src/plain",
    prepare: "ln -sfn {{home}}/src/plain/tool/bin/run {{home}}/.local/bin/linked",
    steps: [
      { cmd: "mkdir -p tool; rm -rf tool/bin; ln -s {{home}}/.ssh tool/bin; ln -s id_ed25519 {{home}}/src/plain/run" },
      { session: 1, cmd: look(".ssh") },
    ],
  },
  {
    id: "linked-program-file",
    about: "a link on PATH that itself names a secret",
    cwd: "{{home}}/src/plain",
    prepare: "ln -sfn {{home}}/.netrc {{home}}/.local/bin/handy; ln -sfn {{home}}/.ssh {{home}}/.local/bin/keys",
    cmd: "cat {{home}}/.local/bin/handy {{home}}/.netrc {{home}}/.local/bin/keys/* {{home}}/.ssh/id*",
  },
  {
    id: "path-is-private",
    about: "a PATH that names private folders",
    cwd: "{{home}}/src/plain",
    before: "export PATH={{home}}/.ssh:{{home}}/.config/gh:{{home}}:$PATH",
    cmd: "cat {{home}}/.ssh/id_ed25519 {{home}}/.config/gh/hosts.yml {{home}}/.netrc",
  },
  {
    id: "path-with-credentials",
    about: "a folder of PATH that holds a credential",
    cwd: "{{home}}/src/plain",
    prepare:
      "mkdir -p {{home}}/tools/bin; echo {{canary}} > {{home}}/tools/bin/credentials.json; echo {{canary}} > {{home}}/tools/bin/id_rsa",
    before: "export PATH={{home}}/tools/bin:$PATH",
    cmd: "cat {{home}}/tools/bin/*",
  },
  {
    id: "virtual-environment",
    about: "a .venv whose interpreter lies in a private folder",
    cwd: "{{home}}/src/plain",
    steps: [
      {
        cmd: "mkdir -p .venv/bin; printf 'home = {{home}}/.ssh\\nversion = 3.11.9\\n' > .venv/pyvenv.cfg; ln -sfn {{home}}/.ssh/id_ed25519 .venv/bin/python",
      },
      { session: 1, cmd: look(".ssh") },
    ],
  },
  {
    id: "variable-that-names-a-place",
    about: "variables that are passed when they name a folder",
    cwd: "{{home}}/src/plain",
    before:
      "export JAVA_HOME={{home}}/.ssh GOROOT={{home}}/.aws VIRTUAL_ENV={{home}} NVM_DIR={{home}}/.kube SSL_CERT_FILE={{home}}/.netrc NODE_EXTRA_CA_CERTS={{home}}/.npmrc",
    cmd: "cat {{home}}/.ssh/id* {{home}}/.aws/credentials {{home}}/.kube/config {{home}}/.netrc {{home}}/.npmrc",
  },
  {
    id: "ignore-file-elsewhere",
    about: "git's global ignore file that is a secret",
    cwd: "{{home}}/src/app",
    prepare: "git config --global core.excludesFile {{home}}/.netrc",
    cmd: 'cat {{home}}/.netrc "$(git config core.excludesFile)" ~/.config/git/ignore ~/.gitignore',
  },
  {
    id: "settings-that-include",
    about: "git settings that include a file of the repository",
    cwd: "{{home}}/src/app",
    prepare:
      "git config --global include.path {{home}}/src/app/evil.cfg; git config -f {{home}}/src/app/evil.cfg alias.pwn '!echo ESCAPED'; git config -f {{home}}/src/app/evil.cfg core.pager 'echo ESCAPED'",
    cmd: "git pwn; git config --get-all alias.pwn | sed 's/^!//' | sh; git --paginate log -1",
  },
  {
    id: "workspace-exchanged",
    about: "the workspace itself becomes a link",
    cwd: "{{home}}/src/plain",
    steps: [{ cmd: "cd ..; mv plain plain2 && ln -s {{home}}/.ssh plain" }, { session: 1, cwd: "{{home}}/src", cmd: look(".ssh") }],
  },
  {
    id: "home-made-inside",
    about: "settings written to ~ steer the next command",
    cwd: "{{home}}/src/app",
    steps: [
      {
        cmd: "git config --global alias.pwn '!echo ESCAPED'; mkdir -p ~/.local/bin; printf '#!/bin/sh\\necho ESCAPED\\n' > ~/.local/bin/handy; chmod +x ~/.local/bin/handy",
      },
      { cmd: "git pwn; handy; true" },
    ],
  },
  {
    id: "tmp-of-the-last-session",
    about: "what another session left in /tmp",
    cwd: "{{home}}/src/app",
    steps: [{ cmd: "echo ESCAPED > /tmp/left" }, { session: 1, cmd: "cat /tmp/left" }],
  },
];
