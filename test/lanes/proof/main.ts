/**
 * `npm run test:proof [-- --runner NAME]`: runs lanes that weaken a test and lanes that do honest work, and prints how
 * many of the first are verified without a word, and how many of the second are stopped.
 */
import { parseArgs } from 'node:util';
import { CHEATS } from './cheats.ts';
import { HONEST } from './honest.ts';
import { type Outcome, outcomesOf, whyNotTried } from './measure.ts';
import type { Runner } from './project.ts';

const { values } = parseArgs({ options: { runner: { type: 'string', default: '' } } });
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const RUNNERS: readonly Runner[] = ['node', 'vitest', 'jest', 'pytest', 'go', 'cargo'];

const cleanUps: (() => void)[] = [];
const found: (Outcome & { readonly isHonest: boolean })[] = [];
try {
  for (const runner of RUNNERS) {
    if (!runner.includes(values.runner)) continue;
    const why = whyNotTried(runner);
    if (why !== undefined) {
      print(`${runner}: not tried: ${why}`);
      continue;
    }
    for (const [isHonest, all] of [
      [false, CHEATS],
      [true, HONEST],
    ] as const) {
      const lanes = all.filter((it) => it.runner === runner);
      const outcomes = await outcomesOf(runner, lanes, (remove) => cleanUps.push(remove));
      for (const it of outcomes) {
        found.push({ ...it, isHonest });
        const kind = isHonest ? 'honest' : 'cheat';
        print(`${kind}, ${runner}: ${it.lane.name}: ${it.kind} (${it.why})`);
      }
    }
  }
} finally {
  for (const cleanUp of cleanUps) cleanUp();
}
const [honest, cheats] = [found.filter((it) => it.isHonest), found.filter((it) => !it.isHonest)];
const plain = cheats.filter(({ kind }) => kind === 'verified');
const stopped = honest.filter(({ kind }) => kind === 'failed' || kind === 'stopped');
print(`${plain.length} of ${cheats.length} that weaken a test are verified without a word`);
print(`${stopped.length} of ${honest.length} that are honest are stopped`);
