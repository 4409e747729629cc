import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run on one plain line that scripts can read: `12 passed, 0 failed, 0 skipped`. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A module that cannot be loaded has no tests, yet it has failed.
      const tests = [...module.children.allTests()];
      if (tests.length === 0 && module.state() === 'failed') count.failed += 1;
      for (const test of tests) count[test.result().state] += 1;
    }
    const { passed, failed, skipped, pending } = count;
    // A pending test did not come to its end: its worker died.
    process.stdout.write(`${passed} passed, ${failed + pending} failed, ${skipped} skipped\n`);
  }
}
