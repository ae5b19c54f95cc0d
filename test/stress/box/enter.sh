#!/bin/bash
# usage (root): enter.sh REPOSITORY NODE UID       Makes this process a small machine of its own and says "ready"; it lasts as long as stdin.
# The caller has unshared mounts, processes and network. Nothing outside of them is changed, and nothing of the network leaves the loopback device.
set -euo pipefail
repository=$1 node=$2 user=$3
mount -t tmpfs none /mnt; mkdir -p /mnt/zeph /mnt/node/bin /mnt/etc; touch /mnt/node/bin/node
mount --bind -o ro "$repository" /mnt/zeph
mount --bind -o ro "$node" /mnt/node/bin/node
{ cat /etc/passwd; echo "dev:x:$user:$user:Dev:/home/dev:/bin/bash"; echo "eve:x:$((user + 1)):$((user + 1)):Eve:/home/eve:/bin/bash"; } > /mnt/etc/passwd
{ cat /etc/group; echo "dev:x:$user:"; echo "eve:x:$((user + 1)):"; } > /mnt/etc/group
cat > /mnt/etc/hosts <<'H'
127.0.0.1 localhost
9.9.9.1 open.example
9.9.9.2 closed.example
127.0.0.1 inside.example
9.9.9.1 rebind.example
127.0.0.1 rebind.example
H
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' > /mnt/etc/resolv.conf
for name in passwd group hosts; do mount --bind "/mnt/etc/$name" "/etc/$name"; done
[ -e /etc/resolv.conf ] && mount --bind /mnt/etc/resolv.conf "$(realpath /etc/resolv.conf)" || true
mount -t tmpfs none /home; mount -t tmpfs none /run; mount -t tmpfs -o mode=1777 none /tmp; mount -t tmpfs -o mode=1777 none /dev/shm 2>/dev/null || true
for id in "$user" "$((user + 1))"; do mkdir -p "/run/user/$id"; chown "$id:$id" "/run/user/$id"; chmod 700 "/run/user/$id"; done
mkdir -p /home/dev /home/eve /run/dbus /tmp/.X11-unix; chown "$user:$user" /home/dev; chown "$((user + 1)):$((user + 1))" /home/eve; chmod 700 /home/dev /home/eve
# An internet of its own: public, private and metadata addresses, all of them here.
ip link set lo up
for address in 9.9.9.1 9.9.9.2 169.254.169.254 192.168.7.7 172.17.0.1; do ip addr add "$address/32" dev lo; done
echo ready
cat > /dev/null
