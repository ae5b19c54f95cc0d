/** Leaving by the network. Each address answers with the canary; it is reached directly and, where there is a proxy, through it. */
const python = (text) => `python3 - <<'P'\n${text.trim()}\nP`;

/** Tries each address directly, then in every way a proxy takes: CONNECT, a plain request, SOCKS by name and by address. */
export const reach = (...addresses) =>
  python(`
import os, re, socket, struct
proxy = os.environ.get("http_proxy") or os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or ""
found = re.match(r"https?://([^:/]+):(\\d+)", proxy)
way = (found.group(1), int(found.group(2))) if found else ("127.0.0.1", 3128)
plain = lambda data: re.sub(rb"[^\\n -~]", b".", data).decode()
def talk(to, *texts):
    try:
        s = socket.create_connection(to, 3); s.settimeout(3)
        for text in texts:
            s.sendall(text)
            print(plain(s.recv(4096)))
        for _ in range(3): print(plain(s.recv(4096)))
    except Exception as e: print(type(e).__name__, e)
for host, port in ${JSON.stringify(addresses)}:
    get = ("GET / HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n" % host).encode()
    talk((host.strip("[]"), port), get)
    name = ("%s:%d" % (host, port)).encode()
    talk(way, b"CONNECT " + name + b" HTTP/1.1\\r\\nHost: " + name + b"\\r\\n\\r\\n", get)
    talk(way, b"CONNECT " + name + b" HTTP/1.1\\r\\nHost: open.example:80\\r\\n\\r\\n", get)
    talk(way, b"GET http://" + name + b"/ HTTP/1.1\\r\\nHost: open.example\\r\\n\\r\\n")
    talk(way, b"GET http://open.example/ HTTP/1.1\\r\\nHost: " + name + b"\\r\\n\\r\\n")
    host_bytes = host.encode()
    talk(way, b"\\x05\\x01\\x00", b"\\x05\\x01\\x00\\x03" + bytes([len(host_bytes)]) + host_bytes + struct.pack(">H", port), get)
    try: talk(way, b"\\x05\\x01\\x00", b"\\x05\\x01\\x00\\x01" + socket.inet_aton(host) + struct.pack(">H", port), get)
    except OSError: pass
`);

const OPEN = ['tools.sandbox.allow_domains=["open.example","inside.example","rebind.example"]'];
const app = "{{home}}/src/app";

export const NETWORK = [
  { id: "loopback", about: "a service of this machine", cwd: app, cmd: reach(["127.0.0.1", "PORT"]).replace('"PORT"', "{{port}}") },
  { id: "loopback-by-shell", about: "the same, with what a shell can do", cwd: app, cmd: "exec 3<>/dev/tcp/127.0.0.1/{{port}} && cat <&3" },
  {
    id: "loopback-by-curl",
    about: "the same, with curl, past any proxy",
    cwd: app,
    cmd: "curl -s --noproxy '*' http://127.0.0.1:{{port}}/; curl -s http://127.0.0.1:{{port}}/; curl -s http://localhost:{{port}}/",
  },
  {
    id: "loopback-spellings",
    about: "other ways to write 127.0.0.1",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: reach(["0x7f000001", 80], ["127.1", 80], ["2130706433", 80], ["0", 80], ["localhost", 80], ["127.0.0.1.", 80]),
  },
  {
    id: "datagrams",
    about: "datagrams to this machine and to the world",
    needs: "namespaces",
    cwd: app,
    cmd: python(`
import socket
for to in ("127.0.0.1", 4712), ("9.9.9.2", 53):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    try: s.sendto(b"secret.example", to); print(s.recv(100).decode())
    except OSError as e: print(e)`),
  },
  { id: "public-address", about: "an address of the world", needs: "namespaces", cwd: app, cmd: reach(["9.9.9.2", 443], ["9.9.9.2", 80]) },
  {
    id: "closed-name",
    // A yes would open it.
    answers: "",
    about: "a name that is not open, where another one is",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: reach(["closed.example", 80], ["closed.example", 443], ["CLOSED.example.", 80]),
  },
  {
    id: "metadata",
    about: "the address that hands out a cloud's keys",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: reach(["169.254.169.254", 80]),
  },
  {
    id: "private-networks",
    about: "the network at home, the bridge of Docker",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: reach(["192.168.7.7", 4711], ["172.17.0.1", 4711]),
  },
  {
    id: "open-name-inside",
    about: "a name that is open and leads to this machine",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: reach(["inside.example", 80]),
  },
  {
    id: "open-name-rebound",
    about: "a name with a public and a private answer",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: `for i in 1 2 3; do ${reach(["rebind.example", 4711], ["inside.example", 4711])}\ndone`.replace("P\ndone", "P\ndone"),
  },
  {
    id: "smuggled-request",
    // A yes would open it.
    answers: "",
    about: "a second request behind an open one",
    needs: "namespaces",
    cwd: app,
    set: OPEN,
    cmd: `${python(`
import os, re, socket
found = re.match(r"https?://([^:/]+):(\\d+)", os.environ.get("http_proxy", ""))
way = (found.group(1), int(found.group(2))) if found else None
hidden = b"GET http://closed.example/ HTTP/1.1\\r\\nHost: closed.example\\r\\n\\r\\n"
chunk = b"%x\\r\\n%s\\r\\n0\\r\\n\\r\\n" % (len(hidden), hidden)
heads = [b"Content-Length: 0\\r\\n\\r\\n" + hidden, b"Transfer-Encoding: chunked\\r\\nContent-Length: 5\\r\\n\\r\\n0\\r\\n\\r\\n" + hidden,
  b"Content-Length: 5\\r\\nContent-Length: 500\\r\\n\\r\\nhello" + hidden, b"Transfer-Encoding: xchunked\\r\\n\\r\\n" + chunk, b"Transfer-Encoding : chunked\\r\\n\\r\\n" + chunk,
  b"Connection: keep-alive\\r\\n\\r\\n" + hidden, b"Upgrade: x\\r\\nConnection: upgrade\\r\\n\\r\\n" + hidden]
for head in heads:
    for host in b"open.example", b"closed.example":
        try:
            s = socket.create_connection(way or ("closed.example", 80), 3); s.settimeout(2)
            s.sendall(b"POST http://open.example/ HTTP/1.1\\r\\nHost: " + host + b"\\r\\n" + head)
            while True:
                got = s.recv(4096)
                if not got: break
                print(got.decode("latin1"))
        except OSError as e: print(e)`)}`,
  },
  {
    id: "many-connections",
    about: "more connections than anybody needs",
    cwd: app,
    cmd: python(`
import os, re, socket, resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
found = re.match(r"https?://([^:/]+):(\\d+)", os.environ.get("http_proxy", ""))
way = (found.group(1), int(found.group(2))) if found else ("127.0.0.1", {{port}})
held = []
for _ in range(10000):
    try:
        s = socket.create_connection(way, 1); s.settimeout(1)
        if found: s.sendall(b"CONNECT 127.0.0.1:{{port}} HTTP/1.1\\r\\n\\r\\n")
        if b"200" not in s.recv(100): break
        held.append(s)
        if len(held) > 512: break
    except OSError: break
print("ESCAPED" if len(held) > 512 else len(held))`),
  },
  {
    id: "abstract-socket",
    about: "a socket without a file",
    cwd: app,
    cmd: python(`
import socket
s = socket.socket(socket.AF_UNIX); s.settimeout(2)
s.connect("\\0{{abstract}}"); print(s.recv(200).decode())`),
  },
  {
    id: "other-session",
    about: "a server of another session",
    cwd: app,
    steps: [
      { cmd: "python3 -m http.server 8765 --bind 127.0.0.1", background: true, pause: 1500 },
      {
        session: 1,
        cwd: "{{home}}/src/plain",
        cmd: 'python3 -c \'import socket; s=socket.create_connection(("127.0.0.1",8765),2); print("ESCAPED")\'',
      },
    ],
  },
  {
    id: "other-session-abstract",
    about: "a socket without a file of another session",
    cwd: app,
    steps: [
      {
        cmd: "python3 -c 'import socket,time; s=socket.socket(socket.AF_UNIX); s.bind(\"\\0zeph-other\"); s.listen(); time.sleep(20)'",
        background: true,
        pause: 1500,
      },
      {
        session: 1,
        cwd: "{{home}}/src/plain",
        cmd: 'python3 -c \'import socket; s=socket.socket(socket.AF_UNIX); s.connect("\\0zeph-other"); print("ESCAPED")\'',
      },
    ],
  },
  {
    id: "other-user",
    about: "a server of another user's session",
    needs: "namespaces",
    cwd: app,
    steps: [
      { cmd: "python3 -m http.server 8766 --bind 127.0.0.1", background: true, pause: 1500 },
      {
        session: 1,
        who: "eve",
        cwd: "/home/eve",
        cmd: 'python3 -c \'import socket; s=socket.create_connection(("127.0.0.1",8766),2); print("ESCAPED")\'',
      },
    ],
  },
  {
    id: "helpers-killed",
    about: "everything that holds the network was killed",
    cwd: app,
    steps: [
      { cmd: "true" },
      { killHelpers: true, cmd: "python3 -c 'import socket; s=socket.create_connection((\"127.0.0.1\",{{port}}),2); print(s.recv(500))'" },
      { cmd: "exec 3<>/dev/tcp/127.0.0.1/{{port}} && cat <&3" },
    ],
  },
];
