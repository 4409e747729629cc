/** A worker cannot lead its own run, whatever it does to its environment. */
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const UNSET = ['ATTEMPT', 'STAGE', 'LANE', 'RUN', 'WORKTREE'].map((it) => `-u LANEHOLD_${it}`);
const WITHOUT = `env ${UNSET.join(' ')}`;
const BARE = 'env -i PATH="$PATH" HOME="$HOME" LANEHOLD_HOME="$LANEHOLD_HOME"';

const COMMANDS = [
  ...['lane widen a --touches "**"', 'lane edit a --validate true', 'lane cancel b'],
  ...['answer b yes', 'integrate', 'land', 'spawn b', 'retry b', 'cancel'],
];
const ALL = COMMANDS.map((it) => `lanehold orchestrate ${it}; echo "exit $?"`).join('\n');

test.each([
  ['without its variables', `${WITHOUT} sh -c '${ALL}' > said.txt 2>&1`],
  [
    'without any, in the main checkout',
    `(cd "$(git rev-parse --git-common-dir)/.." && ${BARE} sh -c '${ALL}') > said.txt 2>&1`,
  ],
  [
    'by another name of the same home',
    `ln -sfn "$LANEHOLD_HOME" "$HOME/h"; cd /; ${WITHOUT} LANEHOLD_HOME="$HOME/h" sh -c 'cd "$0/repo"; ${ALL}' "$HOME/.." > "$OLDPWD/said.txt" 2>&1`,
  ],
  [
    'after it has left its parents',
    `setsid -f ${BARE} sh -c '{ ${ALL}\n} > part.txt 2>&1; mv part.txt said.txt'; while ! test -e said.txt; do sleep 0.1; done`,
  ],
])('%s', async (_, sh) => {
  const project = laneProject({ scenario: { lanes: { a: [[{ sh }]] } } });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn('a');
  await run.reaches('a', 'verified');
  const said = project.git('show', 'lanehold/try-lanes/a:said.txt');
  expect(said.match(/^exit .*/gm)).toEqual(COMMANDS.map(() => 'exit 2'));
  expect(said.match(/is the coordinator's/g)).toHaveLength(COMMANDS.length);
  expect(run.lane('b')).toMatchObject({ state: 'planned', attempt: undefined });
});

test('a person may lead the run from a tree in which nobody works', async () => {
  const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn('a');
  await run.reaches('a', 'verified');
  const place = { cwd: run.lane('a').worktree ?? '', env: project.env };
  const words = ['orchestrate', 'lane', 'edit', 'a', '--notes', 'more'];
  expect(await runNode(CLI_PROGRAM, words, place)).toMatchObject({ exitCode: 0 });
});
