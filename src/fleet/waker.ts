/** Wakes one that naps. A call that comes while it is awake ends its next nap at once, so none is lost. */
export interface Waker {
  wake(): void;
  nap(ms: number): Promise<void>;
}

export function createWaker(): Waker {
  let isCalled = false;
  let end = () => {};
  return {
    wake() {
      isCalled = true;
      end();
    },
    async nap(ms) {
      if (!isCalled)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isCalled = false;
      end = () => {};
    },
  };
}
