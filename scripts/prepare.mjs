// What npm runs after an install, before a pack, and before `npx --no-install zeph` in this folder: a build, unless there is nothing new to build.
import { isFresh } from "./freshness.mjs";

if (!isFresh()) await import("./build.mjs");
