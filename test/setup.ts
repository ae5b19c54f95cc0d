import fc from "fast-check";

// The same examples every time, so that a change is judged by what it changed. SEED=2 looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
