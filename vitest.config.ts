import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['./test/support/fixed-samples.ts'],
    pool: 'forks',
    // Most of a test is waiting for git and Node to start: three at a time even on two cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', new ClosingLine()],
  },
});
