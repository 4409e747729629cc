import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', new ClosingLine()],
  },
});
