/** A look that takes too long ends in an answer, not in the agent's own time limit. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { hookGit } from '../../src/base/git/small-git.ts';
import { recognise } from '../../src/commands/recognise.ts';
import { decide } from '../../src/gate/decide.ts';
import { readingContext } from '../../src/moments/lifecycle/reading-context.ts';
import { openStore } from '../../src/store/open.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

test('a git that does not come to an end is a reason to deny, and says so', async () => {
  const box = sandbox();
  const { change, repo: cwd } = shop(box);
  change('src/cart/add.ts');
  const folder = join(box.root, 'slow');
  box.write(join(folder, 'git'), '#!/bin/sh\nexec sleep 60\n');
  chmodSync(join(folder, 'git'), 0o700);
  const env = { ...box.env, PATH: `${folder}:${box.env.PATH}` };
  const store = await openStore(homeOf(env));
  const command = 'git push';
  const answer = await decide(recognise(command, readingContext(cwd, env)), {
    ...{ cwd, env, gitIn: hookGit, command, program: 'lanehold', now: () => new Date() },
    store: async () => store,
    gitHookFor: async () => 'evaded' as const,
    limitMs: 300,
  });
  store.close();
  expect(answer).toMatchObject({ decision: 'deny', cannotTell: true });
  expect('reason' in answer && answer.reason).toContain(
    'it cannot tell what would leave\nto look took more than 0.3 s\nTo proceed: find out what',
  );
});
