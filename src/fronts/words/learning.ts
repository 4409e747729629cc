/** The text of what was learned from the files that tests read: the verdict first, then a diff. */
import type { LearnedFeature, LearnedFiles } from '../../app/hold/learning.ts';
import { NAME_SETUP } from '../../app/hold/verification-checkout.ts';
import { enumerated, inLines, plural, printableLine } from '../../base/text/printable.ts';
import { renderTable } from './table.ts';

const MOST_NAMED = 5;

export function learnedText(learned: LearnedFiles): string {
  const { changed, notLearned, toRest, crowded, everywhere, written } = learned;
  const files = (what: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${what}: ${enumerated(paths.map(printed), MOST_NAMED)}`];
  return inLines([
    verdictOf(learned),
    ...changed.map(diffText),
    ...notLearned.map(({ feature, because, command }) => {
      return `not learned: ${feature}, ${WHY[because](`\`${printed(command ?? '')}\``)}`;
    }),
    ...files('left to the rest, because too many tests read them', toRest),
    ...files('still of more than three features', crowded),
    ...files(
      'read for every test, and of no feature (`gate.always` is for such files)',
      everywhere,
    ),
    changed.length > 0 && `hint: ${written ? COMMIT : WRITE}`,
  ]);
}

const COMMIT = 'look at the change of lanehold.json, then commit it';
const WRITE = '`--write` measures again and writes what comes out';

function verdictOf({ changed, unchanged, written, seenBy }: LearnedFiles): string {
  if (seenBy === null) return 'Nothing to learn: the rest has what no other feature has';
  const count = plural(changed.length, 'feature');
  if (written) return `Changed ${count} to what the tests read`;
  if (changed.length > 0) return `${count} would change, nothing written`;
  return unchanged.length > 0
    ? 'Nothing to change: features have what tests read'
    : 'Nothing learned';
}

const WHY = {
  'program-missing': (command: string) =>
    `${command}: a program of it is not installed in the checkout\n  hint: ${NAME_SETUP}`,
  failed: (command: string) => `${command} fails here: a failing test teaches nothing`,
  'ran-no-test': (command: string) => `${command} ran no test`,
  releases: (command: string) => `${command} would release`,
  unseen: () =>
    'the disk of the checkout notes no reads: set TMPDIR to a folder of another one, such as /dev/shm',
  'no-smoke': () => 'it has no smoke test',
} as const;

function diffText({ feature, added, removed, removedDependencies, wide }: LearnedFeature): string {
  const row =
    (sign: string) =>
    ({ pattern, files }: { pattern: string; files: number }): string[] => {
      const more = wide.includes(pattern) ? ', also such as were not read: it has too many' : '';
      return [`  ${sign} ${printed(pattern)}`, plural(files, 'file') + more];
    };
  const rows = [
    ...removed.map(row('-')),
    ...removedDependencies.map((name) => [`  - depends on ${name}`]),
    ...added.map(row('+')),
  ];
  return `${feature}\n${renderTable(rows)}`;
}

const printed = (text: string): string => printableLine(text);
