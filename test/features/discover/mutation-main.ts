/**
 * `npm run test:discovery [-- --kind NAME] [--most N] [--learned]`: changes every file of projects of each kind, one at a time,
 * and prints what the proposed features, or their learned maps, let through; ends with 1 if that is more than two of a hundred.
 */
import { parseArgs } from 'node:util';
import { KINDS, missingPrograms, type Score, scoreOf } from './mutation.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: '' },
    most: { type: 'string', default: '40' },
    learned: { type: 'boolean', default: false },
  },
});
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const row = (cells: readonly (string | number)[]): boolean => print(`| ${cells.join(' | ')} |`);

row(['kind', 'features', 'mutants', 'missed', 'verify / suite', 'held by a comment']);
row(['---', '---', '---', '---', '---', '---']);
const scores: Score[] = [];
for (const kind of KINDS) {
  if (!kind.name.toLowerCase().includes(values.kind.toLowerCase())) continue;
  const missing = missingPrograms(kind);
  if (missing.length > 0) {
    row([kind.name, `not tried: no ${missing.join(', ')} here`, '', '', '', '']);
    continue;
  }
  const cleanUps: (() => void)[] = [];
  try {
    const score = await scoreOf(
      kind,
      Number(values.most),
      (remove) => cleanUps.push(remove),
      values.learned ? 'learned' : 'proposed',
    );
    scores.push(score);
    const { features, mutants, missed, verifyAgainstSuite, heldByComment } = score;
    const figures = [verifyAgainstSuite, heldByComment].map((it) => it.toFixed(1));
    row([kind.name, features, mutants, missed.length, ...figures]);
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}
const sum = (of: (score: Score) => number): number => scores.reduce((all, it) => all + of(it), 0);
const mutants = sum((it) => it.mutants);
const missed = sum((it) => it.missed.length);
row(['all', sum((it) => it.features), mutants, missed, '', '']);
print('');
for (const { kind, missed, broken, mostPerFile } of scores) {
  for (const it of missed) print(`missed: ${kind}: ${it}`);
  for (const it of broken) print(`smoke test fails on the project as it is: ${kind}: ${it}`);
  if (mostPerFile > 3) print(`a source file belongs to ${mostPerFile} features: ${kind}`);
}
process.exitCode = missed * 50 > mutants || sum((it) => it.broken.length) > 0 ? 1 : 0;
