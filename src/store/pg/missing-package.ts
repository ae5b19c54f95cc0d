/** Says how to install a package that only shared stores and fleets need. */
export function explainMissing(name: string, purpose: string): (thrown: unknown) => never {
  return (thrown) => {
    if ((thrown as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND" && (thrown as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND")
      throw thrown;
    throw new Error(`${purpose} needs the npm package ${name}, which is not installed. Run: npm i ${name}`, { cause: thrown });
  };
}
