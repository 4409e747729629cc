import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Counts how often this process reads each file that is meant, until the test has ended. */
export function countedReads(isMeant: (file: string) => boolean): ReadonlyMap<string, number> {
  const reads = new Map<string, number>();
  const { readFileSync } = fs;
  fs.readFileSync = ((file: fs.PathOrFileDescriptor, ...options: [never]) => {
    const name = String(file);
    if (isMeant(name)) reads.set(name, (reads.get(name) ?? 0) + 1);
    return readFileSync(file, ...options);
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  });
  return reads;
}
