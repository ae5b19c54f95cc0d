import { describeCuts } from "./cuts.ts";

// Every byte in cut.long.test.ts.
describeCuts(5);
