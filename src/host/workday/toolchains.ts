import { existsSync } from "node:fs";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { isSharedFolder } from "./private-places.ts";

/** What a folder of programs needs beside itself, by where it lies below a home. */
export const BESIDE: Readonly<Record<string, readonly string[]>> = {
  ".cargo/bin": [".rustup/toolchains", ".rustup/settings.toml", ".rustup/update-hashes"],
  ".pyenv/shims": [".pyenv/versions", ".pyenv/libexec", ".pyenv/bin", ".pyenv/version"],
  ".pyenv/bin": [".pyenv/versions", ".pyenv/libexec", ".pyenv/version"],
  ".local/share/mise/shims": [".local/share/mise/installs"],
  ".asdf/shims": [".asdf/installs", ".asdf/bin", ".asdf/lib", ".asdf/libexec", ".asdf/plugins", ".asdf/asdf.sh"],
  ".volta/bin": [".volta/tools", ".volta/layout.v4"],
  ".rbenv/shims": [".rbenv/versions", ".rbenv/libexec", ".rbenv/bin", ".rbenv/version"],
  ".nodenv/shims": [".nodenv/versions", ".nodenv/libexec", ".nodenv/bin", ".nodenv/version"],
  ".local/bin": [".local/share/uv/python", ".local/share/uv/tools", ".local/share/pipx/venvs", ".local/pipx/venvs"],
};

/** Where the interpreters of virtual environments live. An environment in the workspace may name one of these and nothing else. */
export const INTERPRETERS = [
  ...[".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs", ".asdf/installs"],
  ...["miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda/envs", "micromamba"],
];

/** Stores that hold nothing but packages, for everybody: a program in one leans on any other of it. */
const STORES = ["/nix/store", "/gnu/store"];

/** The folder to open for a folder of programs: the toolchain it is a part of, where it is the part of one; else the folder alone. */
export function toolchainOf(folder: string, homes: readonly string[]): string {
  const store = STORES.find((one) => isWithin(one, folder));
  if (store !== undefined) return store;
  const parent = parentOf(folder);
  const isPart = /^(?:s?bin|shims|condabin)$/.test(nameOf(folder)) && !isSharedFolder(parent, homes);
  return isPart && MARKS.some((name) => existsSync(`${parent}/${name}`)) ? parent : folder;
}

/** What to open for one program that a link leads to: its toolchain, the packages it lies among, or the one file. */
export function programRoot(file: string, homes: readonly string[]): string {
  const packages = /^(.+?\/node_modules)\//.exec(file)?.[1];
  if (packages !== undefined) return packages;
  const folder = parentOf(file);
  const root = toolchainOf(folder, homes);
  return root === folder ? file : root;
}

/** What lies in the folder of a toolchain beside its `bin`. */
const MARKS = ["lib", "lib64", "libexec", "share", "pkg", "include", "gems", "pyvenv.cfg", "autoload.php"];
