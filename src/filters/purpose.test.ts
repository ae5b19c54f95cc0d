import { describe, expect, it } from "vitest";
import { commonPurpose, purposeOf } from "./purpose.ts";

const purpose = (command: string) => purposeOf(command.split(" "));

describe("the purpose of a command", () => {
  it.each([
    "make -j4",
    "npm ci",
    "cargo build",
    "tar xzf a.tgz",
    "tar -xvf a.tar",
    "unzip a.zip",
    "docker push x",
    "git push",
    "rsync -av a b",
    "apt-get -y install x",
  ])("is to act: %s", (command) => expect(purpose(command)).toBe("act"));

  it.each([
    "ls -l",
    "df -h",
    "ps aux",
    "npm ls --all",
    "npm outdated",
    "pip list",
    "tar tvf a.tar",
    "unzip -l a.zip",
    "git branch -vv",
    "docker ps",
    "dpkg -l",
    "rsync -n a b",
    "./whatever",
  ])("is to be told what there is, so every row is an answer: %s", (command) => expect(purpose(command)).toBe("list"));

  it.each(["cat a.ts", "git log", "git diff", "rg -n x", "jq . a.json"])("is to read what somebody wrote: %s", (command) =>
    expect(purpose(command)).toBe("contents"),
  );

  it("of several commands is that of whoever asks for most", () => {
    expect(commonPurpose(["act", "act"])).toBe("act");
    expect(commonPurpose(["act", "list"])).toBe("list");
    expect(commonPurpose(["act", "list", "contents"])).toBe("contents");
    expect(commonPurpose([])).toBe("list");
  });
});
