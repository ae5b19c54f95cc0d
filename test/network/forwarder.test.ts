import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openSessionNetwork, type SessionNetwork } from "../../src/host/network/session-network.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { available, isRoot, policyIn, wallsFor, who } from "../sandbox/support.ts";

const me = who(isRoot ? "root" : "user");
afterAll(() => me.remove());

/** A network whose port 3128 leads to a server of ours. */
async function forwardedTo(serve: (socket: Socket) => void): Promise<{ network: SessionNetwork; server: Server }> {
  const folder = mkdtempSync(join(tmpdir(), "zeph-forward-"));
  chmodSync(folder, 0o700);
  const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => {})));
  await new Promise<void>((done) => server.listen(join(folder, "egress"), done));
  const network = openSessionNetwork({ socket: async () => join(folder, "egress") });
  onTestFinished(async () => {
    await network.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { network, server };
}

async function inside(network: SessionNetwork, command: string) {
  const policy = policyIn(me.workspace(), me);
  const sandbox = await wallsFor(policy, me);
  const place = (await network.join(sandbox, policy))!;
  expect(place.forwards).toBe(true);
  let out = "";
  const line = launch(sandbox, policy, ["/bin/bash", "--noprofile", "--norc", "-c", command], { join: place.line });
  const ran = await runLaunch(line, { timeoutMs: 60_000, onOutput: (chunk) => (out += chunk) });
  place.leave();
  return { ...ran, out, pid: Number(place.line.args[1]) };
}

/** A client that says what it sends, ends its half, and then reads to the end. */
const PERL_CLIENT = `use IO::Socket::INET; sub dial { IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => 3128) or die "no: $!\\n" }`;

describe.runIf(available)("The port inside that leads to a socket outside", () => {
  test("carries megabytes both ways, and the end of one side leaves the other open", async () => {
    const { network } = await forwardedTo((socket) => {
      let count = 0;
      // It answers only when the other side has said its last word.
      socket.on("data", (chunk) => (count += chunk.length)).on("end", () => socket.end(Buffer.alloc(count, "y")));
    });
    const { out } = await inside(
      network,
      `perl -e '${PERL_CLIENT} my $s = dial(); my $x = "x" x 65536; for (1 .. 64) { print $s $x } shutdown($s, 1); my ($n, $ok) = (0, 1); while (sysread($s, my $b, 65536)) { $n += length $b; $ok &&= $b !~ /[^y]/ } print "$n $ok\\n"'`,
    );
    expect(out).toBe(`${64 * 65_536} 1\n`);
  });

  test("a server that ends first still hears what the command says", async () => {
    const heard: string[] = [];
    const { network } = await forwardedTo((socket) => {
      socket.end("bye\n");
      let text = "";
      socket.on("data", (chunk) => (text += chunk)).on("end", () => heard.push(text));
    });
    const { out } = await inside(network, `perl -e '${PERL_CLIENT} my $s = dial(); print <$s>; print $s "late\\n"; close $s'`);
    expect(out).toBe("bye\n");
    await expect.poll(() => heard).toEqual(["late\n"]);
  });

  test("serves 370 clients at once, 256 at a time, in memory of a fixed size", async () => {
    const waiting: Socket[] = [];
    let most = 0;
    let isFull = false;
    const answer = () => {
      most = Math.max(most, waiting.length);
      isFull = true;
      for (const one of waiting.splice(0)) one.end("ok");
    };
    const { network } = await forwardedTo((socket) => {
      waiting.push(socket.resume());
      // Nobody is answered until as many wait as are let in; whoever came beyond that would come in the moment that follows.
      if (waiting.length === 256) setTimeout(answer, 500);
      else if (isFull) answer();
    });
    const { out, pid } = await inside(
      network,
      `ulimit -n 1000; perl -e '${PERL_CLIENT} my @s = map { dial() } 1 .. 370; my $n = 0; for my $s (@s) { local $/; my $t = <$s>; $n++ if defined $t && $t eq "ok"; close $s } print "$n\\n"'`,
    );
    expect(out).toBe("370\n");
    expect(most).toBe(256);
    expect(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])).toBeLessThan(12_000);
  });

  test("a client that is killed frees its place, and one whose server is gone is refused and no more", async () => {
    let closed = 0;
    const { network, server } = await forwardedTo((socket) => {
      socket.on("close", () => closed++).resume();
      socket.on("end", () => socket.end());
    });
    await inside(network, `perl -e '${PERL_CLIENT} my @s = map { dial() } 1 .. 300; kill 9, $$'`);
    await expect.poll(() => closed).toBe(300);
    server.close();
    const { out } = await inside(network, `for i in 1 2 3; do exec 3<>/dev/tcp/127.0.0.1/3128 && cat <&3; done; echo end`);
    expect(out).toBe("end\n");
  });
});
