/** Tests call tools that do not exist, with arguments that are wrong. What a program's compiler lets through is tested in test/guide-snippets.test.ts. */
declare module "../src/core/inputs/tool-inputs.ts" {
  interface ToolInputs {
    readonly [name: string]: any;
  }
}

export {};
