const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does some work and cleans up after it, whether it ends, fails or is interrupted. An interrupted
 * program ends by the same signal, as whoever started it expects.
 *
 * @param cleanUp may not wait for anything.
 */
export async function cleaningUp<T>(cleanUp: () => void, work: () => Promise<T>): Promise<T> {
  const interrupted = (signal: NodeJS.Signals): void => {
    cleanUp();
    forget();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    return await work();
  } finally {
    forget();
    cleanUp();
  }
}
