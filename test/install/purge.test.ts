/** `uninstall --purge` and lanes that run. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { purge } from '../../src/app/setup/purge.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { createContext } from '../../src/fronts/cli/command.ts';
import { runInstall, runUninstall } from '../../src/fronts/cli/commands/install.ts';
import { attemptStore } from '../../src/store/attempts.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { laneRows } from '../support/lane-rows.ts';
import { HOOK_PROGRAM } from '../support/sandbox.ts';

test('nothing is deleted, and no hook is taken out, while a lane runs', async () => {
  const rows = await laneRows();
  const { env, store } = rows.context;
  const { host } = bufferedHost([], { env, cwd: () => rows.repo });
  const context = createContext(host, {});
  const home = homeOf(env);
  await runInstall(
    context,
    { agent: ['claude-code'] },
    { node: process.execPath, hook: HOOK_PROGRAM },
  );
  rows.addLane('a');
  const attempt = rows.start('a');
  const purged = runUninstall(context, { purge: true, yes: true });
  await expect(purged).rejects.toMatchObject({
    message: '1 lane still running: nothing was deleted',
    hint: expect.stringContaining('lanehold orchestrate cancel'),
  });
  // It was started while the person was asked.
  await expect(purge(context)).rejects.toThrow('still running');
  expect([home.database, home.manifest].map(existsSync)).toEqual([true, true]);
  expect(existsSync(`${env.HOME}/.claude/settings.json`)).toBe(true);

  store.write(() => {
    attemptStore(store).note(attempt, 0, { state: 'exited' });
    attemptStore(store).note(attempt, 0, { state: 'ended', endReason: 'parked', endDetail: '' });
  });
  await runUninstall(context, { purge: true, yes: true });
  expect(existsSync(home.root)).toBe(false);
  expect(existsSync(`${env.HOME}/.claude`)).toBe(false);
});
