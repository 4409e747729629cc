import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** What starts git or Node at nearly every test; `npm run test:fast` runs the rest, in a minute. */
const PROGRAMS = [
  'test/{action,evidence,team,base/git,git-hold,moments/{hook,resident},install,pasted,fronts/mcp,base/process,store}/**/*.test.ts',
  'test/agents/made-up-agent.test.ts',
  'test/checkout/{checkout,include,kept-tree,setup,shared}.test.ts',
  'test/fronts/cli/{terminal-width,commands/orchestrate-{spawn,wait}}.test.ts',
  'test/gate/{boundaries,denial,earlier-commands,held-pushes,pending,policy,push,push-base,registry-in-change,running}.test.ts',
  'test/features/{recipe,verify,learn/learn,discover/mutation}.test.ts',
  'test/lanes/{acceptance,tree,judge,fit,talk,run,queue,keep,pull}/**/*.test.ts',
  'test/moments/lifecycle/{before-push*,git-hold,rules-file,verify-instead}.test.ts',
];

/** Matrices of kills, takeovers, usage limits, full disks, clocks and agents; `npm run test:long` runs them, `npm test` what each is about. */
const LONG = ['test/**/*.long.test.ts'];

/** What replaces a module, which has to be loaded anew for it. */
const APART = ['test/agents/installs.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAMS, ...APART, ...LONG],
        },
      },
      { extends: true, test: { name: 'apart', include: APART, isolate: true } },
      { extends: true, test: { name: 'programs', include: PROGRAMS, exclude: LONG } },
      { extends: true, test: { name: 'long', include: LONG } },
    ],
    globalSetup: ['./test/support/run-folder.ts'],
    setupFiles: ['./test/support/fixed-samples.ts', './test/support/small-worker.ts'],
    pool: 'forks',
    // Modules are loaded once for each worker, not for each file: a quarter less work. A test leaves
    // nothing behind in its process: the next file gets the same one, in an order that changes.
    isolate: false,
    // A young generation smaller than usual: each start of git copies the map of these pages, too.
    execArgv: ['--max-semi-space-size=8', '--expose-gc'],
    // Most of a test is waiting for git and Node to start: four at a time even on two cores. With five
    // single tests come near their limits on a slow machine.
    maxWorkers: 4,
    // Asked for another order by `--sequence.shuffle.files`, Vitest uses its own.
    sequence: process.argv.some((it) => it.startsWith('--sequence'))
      ? {}
      : { sequencer: LongestFirst },
    // They end what hangs. A file that needs more says why beside its own limit.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    reporters: ['default', new ClosingLine()],
  },
});
