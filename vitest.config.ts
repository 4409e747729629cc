import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';

/** Tests of processes that live on: `npm run test:fast` runs all others, in a minute. */
const PROCESSES = [
  'test/{action,hook,install,process,store}/**/*.test.ts',
  'test/lanes/{acceptance,handoff,inside,integration,rebuild,validation,worktree}/**/*.test.ts',
  'test/cli/commands/orchestrate-{spawn,wait}.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: PROCESSES },
      },
      { extends: true, test: { name: 'processes', include: PROCESSES } },
    ],
    globalSetup: ['./test/support/run-folder.ts'],
    setupFiles: ['./test/support/fixed-samples.ts'],
    pool: 'forks',
    // Most of a test is waiting for git and Node to start: three at a time even on two cores.
    maxWorkers: 3,
    // They end what hangs. A file that needs more says why beside its own limit.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    reporters: ['default', new ClosingLine()],
  },
});
