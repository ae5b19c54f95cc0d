/** Using the machine around the walls: its sockets, its processes, its kernel. */
const connect = (...paths) =>
  `python3 - <<'P'\nimport socket\nfor path in ${JSON.stringify(paths)}:\n    s = socket.socket(socket.AF_UNIX); s.settimeout(2)\n    try: s.connect(path); s.sendall(b"hello"); print(s.recv(500).decode())\n    except OSError as e: print(path, e)\nP`;
const app = "{{home}}/src/app";

export const MACHINE = [
  {
    id: "ssh-agent",
    about: "the agent that signs with the person's keys",
    cwd: app,
    cmd: `echo "agent: $SSH_AUTH_SOCK"; ${connect("{{agent}}")}`,
  },
  {
    id: "docker",
    about: "Docker, which is root",
    cwd: app,
    cmd: `${connect("{{docker}}", "/var/run/docker.sock", "/run/docker.sock")}\ncurl -s --unix-socket {{docker}} http://x/`,
  },
  { id: "system-bus", about: "the bus of the system", cwd: app, cmd: connect("{{systemBus}}") },
  { id: "session-bus", about: "the bus of the person's session", cwd: app, cmd: connect("{{run}}/bus") },
  { id: "display", about: "the screen and the keyboard", cwd: app, cmd: connect("{{x11}}") },
  {
    id: "socket-in-workspace",
    about: "a socket that a service put into the workspace",
    cwd: app,
    prepare: "ln {{run}}/bus bus.sock || ln -s {{run}}/bus bus.sock",
    cmd: connect("bus.sock", "{{run}}/bus"),
  },
  {
    id: "command-lines",
    about: "what other programs were started with",
    cwd: app,
    cmd: "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ps aux",
  },
  {
    id: "memory-of-others",
    about: "the memory of another process",
    cwd: app,
    prepare: "SECRET={{canary}} setsid sleep 30 > /dev/null 2>&1 & echo $! > pid",
    cmd: `python3 -c 'import sys,re\npid=open("pid").read().strip()\nm=open("/proc/"+pid+"/mem","rb")\nfor l in open("/proc/"+pid+"/maps"):\n  if "[stack]" in l:\n    a,b=[int(x,16) for x in l.split()[0].split("-")]; m.seek(a); print(re.findall(rb"canary-[0-9a-f]+",m.read(b-a))[0].decode())'`,
  },
  {
    id: "killing",
    about: "a process of the person",
    cwd: app,
    prepare: "setsid sleep 3137 > /dev/null 2>&1 & echo $! > pid",
    cmd: "kill -9 $(cat pid); kill -9 $(pgrep -xf 'sleep 3137'); true",
    outside: "grep -qs '^State:.[RSD]' /proc/$(cat pid)/status || echo ESCAPED",
  },
  {
    id: "user-namespace",
    about: "root of a namespace of one's own",
    cwd: app,
    cmd: 'test "$(unshare -Ur id -u)" = 0 && echo ESCAPED; unshare -Urm sh -c "mount -t tmpfs none /mnt && echo ESCAPED"; python3 -c "import ctypes; print(\\"ESCAPED\\" if ctypes.CDLL(None).unshare(0x10000000) == 0 else \\"no\\")"',
  },
  {
    id: "outliving",
    about: "a process that goes on when the call is over",
    cwd: app,
    cmd: "setsid sh -c 'sleep 2; echo ESCAPED > alive' > /dev/null 2>&1 & disown; (nohup sh -c 'sleep 2; echo ESCAPED > alive2' > /dev/null 2>&1 &); python3 -c 'import os,time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    time.sleep(2); open(\"alive3\",\"w\").write(\"ESCAPED\")'",
    wait: 3500,
    outside: "cat alive alive2 alive3 2> /dev/null",
  },
  {
    id: "shared-memory-file",
    about: "a file in the memory all processes share",
    cwd: app,
    cmd: "echo evil > /dev/shm/evil",
    outside: "test -e /dev/shm/evil && rm -f /dev/shm/evil && echo ESCAPED",
  },
  {
    id: "shared-memory",
    about: "a segment of another process' memory",
    cwd: app,
    prepare: `python3 -c 'import ctypes\nc=ctypes.CDLL(None); c.shmat.restype=ctypes.c_void_p\ni=c.shmget(0x5a45,64,0o1600)\nctypes.memmove(c.shmat(i,None,0),b"{{canary}}\\0",20)'`,
    cmd: `python3 -c 'import ctypes\nc=ctypes.CDLL(None); c.shmat.restype=ctypes.c_void_p\ni=c.shmget(0x5a45,64,0)\nprint(ctypes.string_at(c.shmat(i,None,0)).decode() if i >= 0 else "none")'`,
  },
  {
    id: "tmp-of-the-machine",
    about: "the real /tmp",
    cwd: app,
    prepare: "echo {{canary}} > /tmp/for-the-person",
    cmd: "cat /tmp/for-the-person; echo evil > /tmp/evil-left; mkfifo /tmp/evil-pipe",
    outside: "(test -e /tmp/evil-left || test -e /tmp/evil-pipe) && echo ESCAPED",
  },
];
