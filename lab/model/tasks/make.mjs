import { commit, copy, edit, missing, read, run, write } from "../kit.mjs";

const PARTS = [
  "blocksplitter",
  "cache",
  "deflate",
  "gzip_container",
  "hash",
  "lz77",
  "squeeze",
  "tree",
  "util",
  "zlib_container",
  "zopfli_lib",
  "zopfli_bin",
];

export const letter = "d";
export const title = "a C program, make";
export const ask =
  "`make` fails since the field `same` of the struct ZopfliHash was renamed. Finish the work: the new name stays. Then `make test` has to pass.";

export function lay(folder) {
  copy("node-zopfli@2.1.4", folder, ["zopfli/src/zopfli"], "src");
  copy("node-zopfli@2.1.4", folder, ["zopfli/COPYING", "zopfli/README"]);
  write(folder, {
    Makefile: `CC ?= gcc
CFLAGS := -W -Wall -Wextra -O1

OBJ := ${PARTS.map((part) => `obj/${part}.o`).join(" \\\n       ")}

zopfli: $(OBJ)
	$(CC) $^ -o $@ -lm

obj/%.o: src/zopfli/%.c
	@mkdir -p obj
	$(CC) $(CFLAGS) -c $< -o $@

test: zopfli
	./zopfli -c README | gzip -d | cmp - README
	@echo the round trip is exact

clean:
	rm -rf obj zopfli

.PHONY: test clean
`,
    ".gitignore": "obj/\nzopfli\n!src/zopfli\n",
  });
  run(folder, "chmod -R u+w .");
  edit(folder, "src/zopfli/hash.h", /unsigned short\* same;/, "unsigned short* run_length;");
  write(folder, { "src/zopfli/hash.c": read(folder, "src/zopfli/hash.c").replaceAll("h->same", "h->run_length") });
  commit(folder, "zopfli");
}

export const check = (folder) =>
  missing({
    "make and make test pass": run(folder, "make clean && make && make test").ok,
    "the new name stays": read(folder, "src/zopfli/hash.h").includes("run_length;") && !/h->same\b/.test(read(folder, "src/zopfli/hash.c")),
  });
