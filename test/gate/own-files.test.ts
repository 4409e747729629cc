/** Commands that write below lanehold's home, where the working trees of lanes lie as well. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { readingContext } from '../../src/moments/lifecycle/reading-context.ts';
import { sandbox } from '../support/sandbox.ts';

const box = sandbox(afterAll);
const tree = join(box.laneholdHome, 'worktrees/repo-1/billing/api');
beforeAll(() => {
  mkdirSync(join(tree, 'src'), { recursive: true });
});

const tampers = (command: string): boolean =>
  recognise(command.replaceAll('HOME', box.laneholdHome).replaceAll('TREE', tree), {
    ...readingContext(tree, box.env),
  }).some(({ verdict }) => verdict === 'tampering');

test.each([
  'echo x > src/a.ts',
  'echo x > TREE/src/a.ts',
  'rm -rf dist && mkdir dist && cp src/a.ts dist/',
  'sed -i s/a/b/ "$(dir)/.lanehold/worktrees/r/b/api/src/a.ts"',
  "python3 -c \"open('TREE/src/a.ts', 'w').write('x')\"",
  "node -e \"require('fs').writeFileSync('TREE/src/a.ts', 'x')\"",
])('in a lane `%s` is ordinary work', (command) => expect(tampers(command)).toBe(false));

test.each([
  'echo x > ../../../../config.json',
  'rm -rf HOME/worktrees',
  'rm -rf HOME',
  'rm -f HOME/lanehold.db',
  'echo 1 1 > HOME/resident/_hooks_lanehold_hook_cjs',
  'rm -r HOME/res*',
  'cp x "$(dir)/.lanehold/config.json"',
  'cp x "$(dir)/.lanehold/worktrees/r/b/api/../../../../config.json"',
  "python3 -c \"open('TREE/../../../../lanehold.db', 'w').write('x')\"",
  "node -e \"require('fs').rmSync('HOME/config.json')\"",
])('`%s` is put before a person', (command) => expect(tampers(command)).toBe(true));
