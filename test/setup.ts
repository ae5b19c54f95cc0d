import fc from "fast-check";

// The same examples every time, so that a change is judged by what it changed. SEED=2 looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

// Node says it once and goes on; whoever gathers listeners must not.
process.on("warning", (warning) => {
  if (warning.name === "MaxListenersExceededWarning") throw warning;
});
