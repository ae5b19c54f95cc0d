import { serveTexts } from "../host/texts/serve.ts";
import { workOnTexts } from "../pipeline/clean-thread.ts";

// The thread that works on long texts.
serveTexts(workOnTexts);
