import { describeCuts } from "./cuts.ts";

describeCuts(1);
