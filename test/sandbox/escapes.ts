import { PYTHON } from "./support.ts";

/** What the commands aim at: things planted on the machine for this run. */
export interface Targets {
  readonly home: string;
  readonly outside: string;
  /** A process of the machine. */
  readonly pid: number;
  readonly port4: number;
  readonly port6: number;
  readonly portUdp: number;
  readonly abstract: string;
  /** Unique to this run. */
  readonly tag: string;
  /** No single thing may become larger than this many bytes. */
  readonly small: number;
}

export interface Escape {
  readonly n: number;
  readonly name: string;
  /** A command prints ESCAPED when it got through. `limited`: it may do it, but must stay contained. */
  readonly expect: "blocked" | "allowed" | "limited";
  readonly needs?: readonly ("python" | "x64")[];
  readonly command: string;
}

const PY = (code: string) => `${PYTHON} -c '${code.replaceAll("'", `'\\''`)}'`;
const SC = (number: number, args: string) =>
  PY(
    `import ctypes,os\nl=ctypes.CDLL(None,use_errno=True)\nr=l.syscall(${number},${args})\nprint("ESCAPED" if r>=0 else "errno %d"%ctypes.get_errno())`,
  );
/** getpid by the i386 entry, from a 64-bit process. */
const INT80 = PY(
  'import ctypes,mmap\nm=mmap.mmap(-1,4096,prot=7)\nm.write(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3")\nf=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nprint("ESCAPED" if f()>0 else "no")',
);
/** Guards what would hit the whole machine if the walls were broken. */
const ALONE = "[ $(ls -d /proc/[0-9]* | wc -l) -lt 12 ]";

/** Never writes a new value to /proc/sys, and nothing here would harm the machine if it got through. */
export const escapes = (c: Targets): readonly Escape[] => [
  // A. Reading what it should not
  { n: 1, name: "read SSH key in home", expect: "blocked", command: `cat ${c.home}/.ssh/id_test && echo ESCAPED` },
  { n: 2, name: "read /etc/shadow", expect: "blocked", command: `cat /etc/shadow && echo ESCAPED` },
  { n: 3, name: "/etc/shadow via symlink in workspace", expect: "blocked", command: `ln -sf /etc/shadow s && cat s && echo ESCAPED` },
  { n: 4, name: "host secret via symlinked dir", expect: "blocked", command: `ln -sfn ${c.outside} d && cat d/secret && echo ESCAPED` },
  { n: 5, name: "/proc/1/root traversal", expect: "blocked", command: `cat /proc/1/root${c.outside}/secret && echo ESCAPED` },
  { n: 6, name: "/proc/1/cwd traversal", expect: "blocked", command: `cat /proc/1/cwd/${c.outside}/secret && echo ESCAPED` },
  { n: 7, name: "host PID by number through /proc", expect: "blocked", command: `cat /proc/${c.pid}/environ && echo ESCAPED` },
  {
    n: 8,
    name: "PID 1 environ holds parent API key",
    expect: "blocked",
    command: `tr '\\0' '\\n' </proc/1/environ | grep -q CANARY && echo ESCAPED`,
  },
  { n: 9, name: "own env holds parent API key", expect: "blocked", command: `env | grep -q CANARY && echo ESCAPED` },
  { n: 10, name: ".. traversal out of workspace", expect: "blocked", command: `cat ../../../../../..${c.outside}/secret && echo ESCAPED` },
  {
    n: 11,
    name: "raw disk device",
    expect: "blocked",
    command: `mknod dv b 254 0 && head -c 16 dv && echo ESCAPED; head -c 1 /dev/vda && echo ESCAPED`,
  },
  {
    n: 12,
    name: "/dev/mem, /dev/kmsg, /proc/kcore",
    expect: "blocked",
    command: `head -c1 /dev/mem && echo ESCAPED; head -c1 /dev/kmsg && echo ESCAPED; head -c1 /proc/kcore | grep -q . && echo ESCAPED`,
  },
  { n: 13, name: "dmesg", expect: "blocked", command: `dmesg | head -1 | grep -q . && echo ESCAPED` },
  { n: 14, name: "open_by_handle_at", expect: "blocked", needs: ["python", "x64"], command: SC(304, '-100,b"x"*64,0') },
  {
    n: 15,
    name: "list other users homes",
    expect: "blocked",
    command: `ls -A /root ${c.home} 2>/dev/null | grep -vE 'work|^/|^$' | grep -q . && echo ESCAPED`,
  },
  // B. Writing what it should not
  { n: 16, name: "write to /etc", expect: "blocked", command: `echo x > /etc/zeph-${c.tag} && rm -f /etc/zeph-${c.tag} && echo ESCAPED` },
  {
    n: 17,
    name: "write to /usr/bin",
    expect: "blocked",
    command: `echo x > /usr/bin/zeph-${c.tag} && rm -f /usr/bin/zeph-${c.tag} && echo ESCAPED`,
  },
  { n: 18, name: "write host dir by absolute path", expect: "blocked", command: `echo x > ${c.outside}/pwn && echo ESCAPED` },
  { n: 19, name: "write via symlink", expect: "blocked", command: `ln -sfn ${c.outside} d; echo x > d/pwn && echo ESCAPED` },
  {
    n: 20,
    name: "hardlink to outside file",
    expect: "blocked",
    command: `ln /usr/bin/true ./hl && echo ESCAPED; ln ${c.outside}/secret ./hl2 && echo ESCAPED`,
  },
  { n: 21, name: "/tmp visible on host", expect: "limited", command: `echo x > /tmp/zeph-esc-${c.tag} && echo wrote` },
  {
    n: 22,
    name: "remove and write trees outside",
    expect: "blocked",
    command: `rm -rf --no-preserve-root ${c.outside}/tree; ls ${c.outside}/tree && echo ESCAPED; rm -f /usr/share/zeph-${c.tag} 2>/dev/null; touch /usr/share/zeph-${c.tag} && rm -f /usr/share/zeph-${c.tag} && echo ESCAPED`,
  },
  {
    n: 23,
    name: "setuid binary",
    expect: "blocked",
    command: `cp /bin/bash ./sb && chmod u+s ./sb && ./sb -p -c 'grep -q "CapEff:.*[1-9a-f]" /proc/self/status && echo ESCAPED'`,
  },
  { n: 24, name: "write git hook", expect: "blocked", command: `printf '#!/bin/sh\\nid' > .git/hooks/pre-commit && echo ESCAPED` },
  { n: 25, name: "git core.fsmonitor / hooksPath", expect: "blocked", command: `git config core.fsmonitor 'touch /tmp/x' && echo ESCAPED` },
  {
    n: 26,
    name: "swap .git aside and recreate",
    expect: "blocked",
    command: `mv .git .git-old && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && echo ESCAPED`,
  },
  {
    n: 27,
    name: "replace .git/config by rename",
    expect: "blocked",
    command: `echo '[core] pager=evil' > c2 && mv c2 .git/config && echo ESCAPED`,
  },
  {
    n: 28,
    name: "write Zeph's own project settings",
    expect: "blocked",
    command: `echo 'enabled = false' > .zeph/config.toml && echo ESCAPED`,
  },
  {
    n: 29,
    name: "swap Zeph's project folder aside",
    expect: "blocked",
    command: `mv .zeph .zeph-old && mkdir .zeph && echo x > .zeph/config.toml && echo ESCAPED`,
  },
  {
    n: 30,
    name: "create NEW protected file (.envrc/.vscode/tasks.json)",
    expect: "allowed",
    command: `mkdir -p .vscode && echo '{}' > .vscode/tasks.json && echo ESCAPED`,
  },
  { n: 31, name: "git commit in workspace", expect: "allowed", command: `echo y >> f && git commit -qam y && echo ESCAPED` },
  {
    n: 32,
    name: "nested repo with hooks",
    expect: "allowed",
    command: `mkdir -p sub && git init -q sub && echo id > sub/.git/hooks/pre-commit && echo ESCAPED`,
  },
  // C. Privileges and kernel surface
  { n: 33, name: "mount tmpfs", expect: "blocked", command: `mount -t tmpfs none /tmp && echo ESCAPED` },
  {
    n: 34,
    name: "remount / rw",
    expect: "blocked",
    command: `mount -o remount,rw,bind / && echo ESCAPED; mount -o remount,rw,bind /usr && echo ESCAPED`,
  },
  {
    n: 35,
    name: "umount a read-only overlay",
    expect: "blocked",
    command: `umount .git/hooks && echo ESCAPED; umount -l /usr && echo ESCAPED`,
  },
  { n: 36, name: "unshare user+mount ns", expect: "blocked", command: `unshare -Urm true && echo ESCAPED` },
  {
    n: 37,
    name: "clone3(CLONE_NEWUSER)",
    expect: "blocked",
    needs: ["python", "x64"],
    command: PY(
      'import ctypes,struct\nl=ctypes.CDLL(None,use_errno=True)\nb=struct.pack("11Q",0x10000000,0,0,0,17,0,0,0,0,0,0)\nr=l.syscall(435,b,88)\nimport os\nif r==0: os._exit(0)\nprint("ESCAPED" if r>0 else "errno %d"%ctypes.get_errno())',
    ),
  },
  { n: 38, name: "nsenter into host", expect: "blocked", command: `nsenter -t 1 -m -u -i -n -p true && echo ESCAPED` },
  { n: 39, name: "chroot", expect: "blocked", command: `mkdir -p j && chroot j true; chroot / true && echo ESCAPED` },
  { n: 40, name: "sudo / su", expect: "blocked", command: `sudo -n true && echo ESCAPED; su -c true </dev/null && echo ESCAPED` },
  {
    n: 41,
    name: "setuid(0) from python",
    expect: "blocked",
    needs: ["python"],
    command: PY(
      'import os\nu=os.getuid()\ntry:\n os.setuid(0)\n print("uid0 in userns only" if u==0 else "ESCAPED")\nexcept Exception as e: print(e)',
    ),
  },
  {
    n: 42,
    name: "ptrace PID 1 / parent",
    expect: "blocked",
    command: `(strace -p 1 -o /tmp/o & sleep 0.2; kill %1) 2>/dev/null; grep -q . /tmp/o 2>/dev/null && echo ESCAPED; gdb -p 1 -batch 2>&1 | grep -q 'in ' && echo ESCAPED`,
  },
  { n: 43, name: "process_vm_readv of PID 1", expect: "blocked", needs: ["python", "x64"], command: SC(310, "1,None,0,None,0,0") },
  {
    n: 44,
    name: "/proc/1/mem write",
    expect: "limited",
    command: `: > /proc/1/mem && dd if=/dev/zero of=/proc/1/mem bs=1 count=1 2>&1 | tail -1`,
  },
  {
    n: 45,
    name: "bpf()",
    expect: "blocked",
    needs: ["python", "x64"],
    command: SC(321, '0,__import__("struct").pack("IIII",1,4,4,1)+bytes(56),72'),
  },
  {
    n: 46,
    name: "perf_event_open",
    expect: "blocked",
    needs: ["python", "x64"],
    command: SC(298, '__import__("struct").pack("IIQQQQQQQ",1,64,0,0,0,0,0x60,0,0),0,-1,-1,0'),
  },
  { n: 47, name: "userfaultfd", expect: "blocked", needs: ["python", "x64"], command: SC(323, "1") },
  { n: 48, name: "keyctl session keyring", expect: "blocked", needs: ["python", "x64"], command: SC(250, "0,-3,1") },
  { n: 49, name: "io_uring_setup", expect: "blocked", needs: ["python", "x64"], command: SC(425, "4,bytes(120)") },
  {
    n: 50,
    name: "x32 ABI bypass",
    expect: "blocked",
    needs: ["python", "x64"],
    command: PY('import ctypes\nprint("ESCAPED" if ctypes.CDLL(None).syscall(0x40000000|101,0,0,0,0)>=0 else "no")'),
  },
  { n: 51, name: "i386 system calls (int 0x80)", expect: "blocked", needs: ["x64"], command: INT80 },
  {
    n: 52,
    name: "core_pattern",
    expect: "blocked",
    command: `v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern && echo ESCAPED`,
  },
  {
    n: 53,
    name: "modprobe path / sysrq",
    expect: "blocked",
    command: `v=$(cat /proc/sys/kernel/modprobe 2>/dev/null) && echo "$v" > /proc/sys/kernel/modprobe && echo ESCAPED; [ -w /proc/sysrq-trigger ] && echo ESCAPED`,
  },
  {
    n: 54,
    name: "cgroup release_agent",
    expect: "blocked",
    command: `mkdir -p cg && mount -t cgroup -o rdma cgroup cg && echo ESCAPED; ls /sys/fs/cgroup && echo ESCAPED`,
  },
  {
    n: 55,
    name: "load kernel module",
    expect: "blocked",
    command: `insmod /lib/modules/x.ko && echo ESCAPED; modprobe dummy && echo ESCAPED`,
  },
  {
    n: 56,
    name: "LD_PRELOAD into setuid",
    expect: "blocked",
    command: `LD_PRELOAD=/nonexist.so su -c id </dev/null 2>&1 | grep uid=0 && echo ESCAPED`,
  },
  { n: 57, name: "sethostname on host", expect: "blocked", command: `hostname "$(hostname)" && echo ESCAPED` },
  // D. Network and sockets
  {
    n: 58,
    name: "host TCP v4 localhost service",
    expect: "blocked",
    command: `timeout 3 bash -c 'cat </dev/tcp/127.0.0.1/${c.port4}' | grep -q CANARY && echo ESCAPED`,
  },
  {
    n: 59,
    name: "host TCP v6 localhost service",
    expect: "blocked",
    command: `timeout 3 bash -c 'cat </dev/tcp/::1/${c.port6}' | grep -q CANARY && echo ESCAPED`,
  },
  {
    n: 60,
    name: "another interface than loopback, a default route",
    expect: "blocked",
    command: `grep -vE 'lo:|Inter|face' /proc/net/dev | grep -q : && echo ESCAPED; grep -qE '^[a-z0-9]+\\s+00000000' /proc/net/route && echo ESCAPED`,
  },
  {
    n: 61,
    name: "name servers and UDP to the machine",
    expect: "blocked",
    command: `ls /etc/resolv.conf && echo ESCAPED; echo CANARY-UDP >/dev/udp/127.0.0.1/${c.portUdp}`,
  },
  {
    n: 62,
    name: "HTTP to a service of the machine",
    expect: "blocked",
    command: `timeout 5 curl -sS http://127.0.0.1:${c.port4}/ --http0.9 | grep -q CANARY && echo ESCAPED`,
  },
  {
    n: 63,
    name: "HTTP over IPv6 to the machine",
    expect: "blocked",
    command: `timeout 3 curl -sS -g 'http://[::1]:${c.port6}/' --http0.9 | grep -q CANARY && echo ESCAPED`,
  },
  {
    n: 64,
    name: "raw / packet socket",
    expect: "blocked",
    needs: ["python"],
    command: PY(
      'import socket\nfor f,t in ((17,3),(2,3)):\n try:\n  socket.socket(f,t,1); print("ESCAPED")\n except Exception as e: print(e)',
    ),
  },
  {
    n: 65,
    name: "vsock, which no network namespace isolates",
    expect: "blocked",
    needs: ["python"],
    command: PY('import socket\ntry:\n socket.socket(40,1); print("ESCAPED")\nexcept Exception as e: print(e)'),
  },
  {
    n: 66,
    name: "abstract unix socket of host",
    expect: "blocked",
    needs: ["python"],
    command: PY(
      `import socket\ns=socket.socket(socket.AF_UNIX)\ntry:\n s.connect("\\0${c.abstract}"); print("ESCAPED")\nexcept Exception as e: print(e)`,
    ),
  },
  {
    n: 67,
    name: "pathname unix socket outside allowed paths",
    expect: "blocked",
    needs: ["python"],
    command: PY(
      `import socket\ns=socket.socket(socket.AF_UNIX)\ntry:\n s.connect("${c.outside}/svc.sock"); print("ESCAPED")\nexcept Exception as e: print(e)`,
    ),
  },
  {
    n: 68,
    name: "docker.sock / dbus / ssh-agent / X11",
    expect: "blocked",
    command: `ls /run/docker.sock /var/run/docker.sock /run/dbus /tmp/.X11-unix 2>/dev/null | grep -q . && echo ESCAPED; env | grep -E 'SSH_AUTH_SOCK|DBUS|DISPLAY' && echo ESCAPED`,
  },
  { n: 69, name: "bring up interface / netlink", expect: "blocked", command: `ip link add v0 type veth && echo ESCAPED` },
  {
    n: 70,
    name: "listen + connect on sandbox localhost",
    expect: "allowed",
    needs: ["python"],
    command: PY(
      'import socket\ns=socket.socket();s.bind(("127.0.0.1",0));s.listen()\nc=socket.create_connection(s.getsockname());print("ESCAPED")',
    ),
  },
  // E. Processes, terminals, descriptors
  { n: 71, name: "kill host process by pid", expect: "blocked", command: `kill -9 ${c.pid} && echo ESCAPED` },
  { n: 72, name: "kill everything (-1)", expect: "limited", command: `${ALONE} || { echo ESCAPED; exit; }; (kill -9 -1); echo done` },
  {
    n: 73,
    name: "kill PID 1 of the sandbox",
    expect: "limited",
    command: `${ALONE} || { echo ESCAPED; exit; }; kill -9 1; kill -TERM 1; sleep 0.1; echo survived`,
  },
  {
    n: 74,
    name: "see host processes",
    expect: "blocked",
    command: `[ -n "$(tr '\\0' ' ' </proc/${c.pid}/cmdline 2>/dev/null)" ] && echo ESCAPED; ps ax | wc -l | awk '$1>12{print "ESCAPED"}'`,
  },
  {
    n: 75,
    name: "setsid/nohup survivor",
    expect: "limited",
    command: `(setsid nohup bash -c 'exec -a zeph-later-${c.tag} sleep 60' >/dev/null 2>&1 &) ; sleep 0.05; echo started`,
  },
  {
    n: 76,
    name: "type into a terminal (TIOCSTI)",
    expect: "blocked",
    needs: ["python"],
    command: PY(
      'import fcntl,os,pty\nfor fd in (0,1,2):\n try:\n  fcntl.ioctl(fd,0x5412,b"x"); print("ESCAPED",flush=True)\n except OSError: pass\npid,fd=pty.fork()\nif pid==0:\n try:\n  fcntl.ioctl(0,0x5412,b"x"); os.write(1,b"ESCAPED")\n except OSError as e: os.write(1,str(e).encode())\n os._exit(0)\nout=b""\ntry:\n while 1:\n  b=os.read(fd,999)\n  if not b: break\n  out+=b\nexcept OSError: pass\nprint(out.decode())',
    ),
  },
  { n: 77, name: "controlling tty", expect: "blocked", command: `exec 3<>/dev/tty && echo ESCAPED` },
  {
    n: 78,
    name: "inherited file descriptors > 2",
    expect: "blocked",
    command: `for f in /proc/$$/fd/*; do n=\${f##*/}; [ $n -gt 2 ] && [ $n -ne 255 ] && [ "$(readlink $f)" != /dev/null ] && readlink $f && echo ESCAPED; done`,
  },
  // F. Using everything up
  {
    n: 79,
    name: "fork bomb",
    expect: "limited",
    command: `${ALONE} && ulimit -u | grep -qE '^[0-9]{1,3}$' || { echo ESCAPED; exit; }; f(){ f|f& };f 2>/dev/null; sleep 1; echo end`,
  },
  {
    n: 80,
    name: "take more memory than allowed",
    expect: "limited",
    needs: ["python"],
    command: `${PYTHON} -c 'b=bytearray(512<<20)
print("ESCAPED")'`,
  },
  {
    n: 81,
    name: "fill /tmp tmpfs",
    expect: "limited",
    command: `dd if=/dev/zero of=/tmp/fill bs=1M count=96 2>&1 | tail -1; [ $(stat -c %s /tmp/fill) -gt ${c.small} ] && echo ESCAPED; dd if=/dev/zero of=$HOME/fill bs=1M count=96 2>/dev/null; [ $(stat -c %s $HOME/fill) -gt ${c.small} ] && echo ESCAPED`,
  },
  {
    n: 82,
    name: "fill root/dev tmpfs",
    expect: "blocked",
    command: `echo x > /newfile && echo ESCAPED; dd if=/dev/zero of=/dev/fill bs=1M count=10 2>&1 | grep -q copied && echo ESCAPED`,
  },
  {
    n: 83,
    name: "fill /dev/shm",
    expect: "limited",
    command: `dd if=/dev/zero of=/dev/shm/fill bs=1M count=96 2>&1 | tail -1; [ $(stat -c %s /dev/shm/fill) -gt ${c.small} ] && echo ESCAPED`,
  },
  {
    n: 84,
    name: "one huge file in workspace",
    expect: "limited",
    command: `dd if=/dev/zero of=big bs=1M count=96 2>&1 | tail -1; [ $(stat -c %s big) -gt ${c.small} ] && echo ESCAPED; rm -f big`,
  },
  { n: 85, name: "endless output", expect: "limited", command: `timeout 1 yes | head -c 30000000 | wc -c` },
];
