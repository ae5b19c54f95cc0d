#!/bin/sh
# Makes what lies in vendor/: bwrap, zeph-net, zeph-run, zeph-hook and zeph-peer for x64 and arm64, static, each built twice and compared byte by byte.
#
#   native/build.sh [SOURCES]     SOURCES: a folder with Debian's source packages; without it apt fetches them
#
# On Debian 12 with: gcc make patch xz-utils gcc-aarch64-linux-gnu linux-libc-dev-arm64-cross, and linux-libc-dev. Another compiler makes other
# bytes: then the hashes in src/host/sandbox/shipped.ts change, and test/shipped.test.ts says so. Nothing on the machine is changed.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
# One fixed place, since paths can end up in what a compiler writes.
WORK=/tmp/zeph-native
VENDOR=$HERE/../vendor
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1700000000
umask 022

fetch() {
  mkdir -p "$WORK/sources" "$WORK/lists/partial"
  sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$WORK/apt.sources"
  only="-o Dir::Etc::sourcelist=$WORK/apt.sources -o Dir::Etc::sourceparts=- -o Dir::State::lists=$WORK/lists -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086
  (cd "$WORK/sources" && apt-get $only -q update && apt-get $only -q source --download-only libcap2=1:2.66-4+deb12u3 musl=1.2.3-1)
  # 0.8.0 of Debian 12 makes missing mount points by name, outside of the sandbox (GHSA-pxhw-h44j-8pfx).
  sed -i 's/^Suites:.*/Suites: trixie/; /^$/,$d' "$WORK/apt.sources"
  # shellcheck disable=SC2086
  (cd "$WORK/sources" && apt-get $only -q update && apt-get $only -q source --download-only "bubblewrap=0.12.0-1~deb13u1")
}

# unpack NAME: upstream's archive with Debian's patches.
unpack() {
  mkdir "$1"
  tar -xf "$SOURCES/$1"_*.orig.tar.*z -C "$1" --strip-components=1
  tar -xf "$SOURCES/$1"_*.debian.tar.xz -C "$1"
  if [ -e "$1/debian/patches/series" ]; then
    grep -v '^#' "$1/debian/patches/series" | while read -r name; do patch -s -d "$1" -p1 <"$1/debian/patches/$name"; done
  fi
}

# build ARCH INTO
build() {
  case $1 in
    x64) machine=x86_64 headers=/usr/include own=/usr/include/x86_64-linux-gnu ;;
    arm64) machine=aarch64 headers=/usr/aarch64-linux-gnu/include own=/usr/aarch64-linux-gnu/include ;;
    *) echo "no such machine: $1" >&2; exit 2 ;;
  esac
  target=$machine-linux-gnu
  rm -rf "$WORK/build" && mkdir -p "$WORK/build" "$2" && cd "$WORK/build"
  for name in bubblewrap libcap2 musl; do unpack $name; done

  (cd musl && CC=$target-gcc CROSS_COMPILE=$target- ./configure --target=$machine --prefix="$WORK/build/libc" --disable-shared \
    CFLAGS="-O2 -fPIE -ffile-prefix-map=$WORK/build=." && make -j2 && make install) >log-musl 2>&1 || { tail -20 log-musl; exit 1; }
  # The kernel's own headers, after those of the C library.
  mkdir kernel && ln -s "$headers/linux" "$headers/asm-generic" kernel/ && ln -s "$own/asm" kernel/asm

  compile="$target-gcc -nostdinc -isystem $WORK/build/libc/include -isystem $($target-gcc -print-file-name=include) -idirafter $WORK/build/kernel
    -O2 -fPIE -ffile-prefix-map=$WORK/build=. -fstack-protector-strong -ffunction-sections -fdata-sections"
  make -C libcap2/libcap CC="$(echo $compile) -D_GNU_SOURCE" BUILD_CC=gcc AR=$target-ar RANLIB=$target-ranlib OBJCOPY=$target-objcopy \
    USE_GPERF=no PAM_CAP=no SHARED=no libcap.a >log-libcap 2>&1 || { tail -20 log-libcap; exit 1; }

  printf '#define PACKAGE_STRING "bubblewrap 0.12.0 (shipped with Zeph)"\n' >bubblewrap/config.h
  for file in bubblewrap bind-mount chroot_realpath network safe_openat utils; do
    # musl does not bring PATH_MAX along with other headers.
    $compile -D_GNU_SOURCE -include limits.h -Ibubblewrap -Ilibcap2/libcap/include -c "bubblewrap/$file.c" -o "$file.o"
  done
  for file in zeph-net zeph-hook zeph-peer; do cp "$HERE/$file.c" . && $compile -Wall -Wextra -Werror -c "$file.c" -o "$file.o"; done
  cp "$HERE/zeph-run.c" "$HERE/zeph-walls.c" "$HERE/zeph-places.c" "$HERE/zeph-audit.c" "$HERE/zeph-watch.c" "$HERE/zeph-serve.c" "$HERE/zeph-run.h" .
  for file in zeph-run zeph-walls zeph-places zeph-audit zeph-watch zeph-serve; do $compile -Wall -Wextra -Werror -c "$file.c" -o "$file.o"; done
  link "$2/bwrap-linux-$1" bubblewrap.o bind-mount.o chroot_realpath.o network.o safe_openat.o utils.o libcap2/libcap/libcap.a
  link "$2/zeph-net-linux-$1" zeph-net.o
  link "$2/zeph-hook-linux-$1" zeph-hook.o
  link "$2/zeph-peer-linux-$1" zeph-peer.o
  link "$2/zeph-run-linux-$1" zeph-run.o zeph-walls.o zeph-places.o zeph-audit.o zeph-watch.o zeph-serve.o
}

# link FILE OBJECT...: static, and loaded at another place each time all the same.
link() {
  file=$1 && shift
  at=$WORK/build/libc/lib
  find_in_gcc() { $target-gcc -print-file-name="$1"; }
  $target-gcc -static-pie -nostdlib -nostartfiles -Wl,-z,relro,-z,now,-z,noexecstack,--build-id=none,--gc-sections \
    "$at/rcrt1.o" "$at/crti.o" "$(find_in_gcc crtbeginS.o)" "$@" "$at/libc.a" "$(find_in_gcc libgcc.a)" "$at/libc.a" "$(find_in_gcc crtendS.o)" "$at/crtn.o" -o "$file"
  $target-strip --strip-all "$file"
  chmod 755 "$file"
}

SOURCES=${1:-}
[ -n "$SOURCES" ] || { fetch && SOURCES=$WORK/sources; }
SOURCES=$(cd "$SOURCES" && pwd)
(cd "$SOURCES" && sha256sum --quiet -c "$HERE/sources.sha256")
for round in first second; do
  rm -rf "${WORK:?}/$round"
  for arch in x64 arm64; do (build $arch "$WORK/$round"); done
done
diff -r "$WORK/first" "$WORK/second" && echo "two builds, the same bytes"
mkdir -p "$VENDOR"
cp "$WORK"/first/* "$VENDOR/"
cd "$VENDOR" && sha256sum -- *-linux-* && wc -c -- *-linux-*
