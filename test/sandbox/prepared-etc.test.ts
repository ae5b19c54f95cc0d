import { mkdirSync, renameSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPlainEtc } from "../../src/host/sandbox/backends/bubblewrap.ts";
import { launch, preparedEtc } from "../../src/host/sandbox/launch.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { available, BUILDERS, EVERYBODY, inside, isRoot, policyIn, type Who, wallsFor, who } from "./support.ts";

/** Owners are compared as root only: a copy that an ordinary user makes is that user's, and mounted files are root's. */
const OWNERS = isRoot ? "%U:%G" : "";
/** Everything in there but the folders above what is shown, which bwrap makes with rights of its own. */
const LISTED = `find /etc -mindepth 1 ! -path /etc/ssl ! -path /etc/pki -printf '%p %y %m ${OWNERS} %s %l\\n' | sed 's/^\\(\\S* d \\S* \\S*\\) .*/\\1/' | sort; cat /etc/passwd /etc/hosts /etc/ld.so.conf.d/* | cksum`;

describe.runIf(available).each(EVERYBODY)("the prepared /etc, as %s", (name) => {
  let me: Who;
  beforeAll(async () => {
    me = who(name);
    await preparedEtc.make([me.base]);
  });
  afterAll(() => me.remove());
  /** With network the files are mounted one by one, as they are until the copy is made. */
  const oneByOne = { change: (policy: Parameters<typeof isPlainEtc>[0]) => ({ ...policy, read: [...policy.read, "/etc/passwd"] }) };

  test.each(BUILDERS)("is what a command gets, in one mount: %s", async (_which, builders) => {
    const policy = policyIn(me.workspace(), me);
    const line = launch(await wallsFor(policy, me, builders), policy, ["true"], { user: me.user });
    const words = line.feeds.map(([, data]) => data.toString("latin1")).join("\0");
    line.cleanup();
    expect(words).toContain(`--ro-bind\0${preparedEtc.look([me.base])!.path}\0/etc\0`);
    expect(words).not.toContain("/etc/passwd");
  });

  test.each(BUILDERS)(
    "shows what single mounts show, with the same rights and content, and as root with the same owners: %s",
    async (_which, builders) => {
      const cwd = me.workspace();
      const sandbox = await wallsFor(policyIn(cwd, me), me, builders);
      const [one, many] = [await inside(cwd, me, LISTED, { sandbox }), await inside(cwd, me, LISTED, { ...oneByOne, sandbox })];
      expect(one.out.split("\n").length).toBeGreaterThan(10);
      expect(one.out).toBe(many.out);
      expect((await inside(cwd, me, LISTED, oneByOne)).out).toBe(many.out);
    },
  );

  test.each(BUILDERS)("cannot be written, replaced, unmounted or found at its own place: %s", async (_which, builders) => {
    const { path } = preparedEtc.look([me.base])!;
    const sandbox = await wallsFor(policyIn(me.workspace(), me), me, builders);
    const { out } = await inside(
      me.workspace(),
      me,
      `echo x >> /etc/passwd; echo x > /etc/new; rm -f /etc/hosts; mv /etc/hosts /etc/h; chmod 777 /etc; mkdir /etc/d; umount /etc; mount -o remount,rw /etc; ls ${path} ${path}/..; ls /etc/hosts /etc/shadow`,
      { sandbox },
    );
    expect(out.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(5);
    expect(out).toContain("cannot access '/etc/shadow'");
    expect(out).toContain(`cannot access '${path}'`);
    expect(out).toMatch(/^\/etc\/hosts$/m);
    expect((await inside(me.workspace(), me, "ls /etc/new /etc/d; tail -n 1 /etc/passwd")).out).toMatch(
      /cannot access '\/etc\/new'[\s\S]*:/,
    );
  });

  test.each(BUILDERS)("is compared when it is mounted: another folder of its name is not: %s", async (_which, builders) => {
    const policy = policyIn(me.workspace(), me);
    const { path } = preparedEtc.look([me.base])!;
    const line = launch(await wallsFor(policy, me, builders), policy, ["/bin/echo", "STARTED"], { user: me.user });
    renameSync(path, `${path}-away`);
    mkdirSync(path);
    let out = "";
    const ran = await runLaunch(line, { timeoutMs: 20_000, onOutput: (chunk) => (out += chunk) });
    rmSync(path, { recursive: true });
    renameSync(`${path}-away`, path);
    expect({ ran: ran.ran, changed: ran.changed, out }).toEqual({ ran: false, changed: true, out: expect.not.stringContaining("STARTED") });
    await preparedEtc.make([me.base]);
  });

  test("is left alone where something else has to be mounted in /etc", () => {
    const policy = policyIn(me.workspace(), me);
    expect(isPlainEtc(policy)).toBe(true);
    expect(isPlainEtc({ ...policy, network: "open" })).toBe(false);
    expect(isPlainEtc({ ...policy, read: ["/etc/nginx"] })).toBe(false);
    expect(isPlainEtc({ ...policy, hidden: { places: [{ path: "/etc/hosts", kind: "file" }], unfinished: null } })).toBe(false);
  });
});
