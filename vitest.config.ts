import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['./test/support/run-folder.ts'],
    setupFiles: ['./test/support/fixed-samples.ts'],
    pool: 'forks',
    // Most of a test is waiting for git and Node to start: three at a time even on two cores.
    maxWorkers: 3,
    // They end what hangs, and prove nothing: on a loaded machine seconds become minutes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 25 } },
    reporters: ['default', new ClosingLine()],
  },
});
