/** The exchange with a team goes on by itself, in a process of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme } from '../support/board.ts';
import { network } from '../support/network.ts';
import { sessionStart } from '../support/payloads.ts';
import { withPostgres } from '../support/postgres.ts';
import { adopts } from '../support/shared-run.ts';
import { until } from '../support/until.ts';

const ON = { LANEHOLD_BACKGROUND: '' };
const PATH = 'project/gotchas/expiry';

withPostgres('the exchange in the background', (server) => {
  test('what a command has changed reaches the team without a further command', async () => {
    const { connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    // The second is said by the exchange that the first has begun.
    await ada.laneholdWith(ON, 'note', 'add', 'project/facts/first', 'The first', '--team');
    await ada.laneholdWith(ON, 'note', 'add', PATH, 'Expiry is in seconds', '--team');
    await until('the notes of Ada', async () => {
      await ci.done('team', 'sync');
      const list = await ci.done('note', 'list');
      return ['The first', 'Expiry is in seconds'].every((it) => list.includes(it));
    });
    const log = join(ada.env.LANEHOLD_HOME, 'logs', 'team.log');
    expect(readFileSync(log, 'utf8')).toBe('');
  });

  test('a session that begins takes over what others have said; a worker of a lane and LANEHOLD_BACKGROUND=off do not', async () => {
    const { box, connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    await adopts(box, ci, 'billing');
    const stamps = join(ci.env.LANEHOLD_HOME, 'refreshed');
    const begin = (env: Record<string, string>) =>
      box.hook('session-start', sessionStart(ci.repo, 'startup'), {
        cwd: ci.repo,
        env: { ...ci.env, ...env },
      });
    await begin({ LANEHOLD_BACKGROUND: 'off' });
    await begin({ ...ON, LANEHOLD_ATTEMPT: 'x' });
    expect(existsSync(stamps)).toBe(false);
    await begin(ON);
    await until('the run of CI', async () =>
      (await ada.done('team', 'status')).includes('RUN move (ci'),
    );
    expect(readdirSync(stamps).some((it) => it.startsWith('team-'))).toBe(true);
  });

  test('F30: a hook begins no connection, whatever the board does', async () => {
    const { box, connected, keys } = await acme(server);
    const wire = await network(server.port);
    const ada = await connected('ada', keys.ada, wire.port);
    const before = wire.connections();
    for (const state of ['ok', 'stalled', 'cut'] as const) {
      wire.become(state);
      const started = await box.hook('session-start', sessionStart(ada.repo, 'startup'), {
        cwd: ada.repo,
        env: { ...ada.env, LANEHOLD_BACKGROUND: 'off' },
      });
      expect(started.exitCode).toBe(0);
      const push = { command: 'git push origin HEAD:main' };
      const payload = { cwd: ada.repo, session_id: 's', tool_name: 'Bash', tool_input: push };
      const pushed = await box.hook(
        'before-tool',
        { ...payload, hook_event_name: 'PreToolUse' },
        { cwd: ada.repo, env: ada.env },
      );
      expect(pushed.exitCode).toBe(0);
    }
    expect(wire.connections()).toBe(before);
  });
});
