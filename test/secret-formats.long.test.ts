import { describeFormats } from "./secret-formats.ts";

describeFormats(100);
