/** Whoever takes longer has failed. `stop`, where there is one, is told then. */
export async function answerWithin<T>(work: Promise<T>, ms: number, stop?: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop?.abort();
      reject(new Error(`no answer within ${ms / 1000} s`));
    }, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
