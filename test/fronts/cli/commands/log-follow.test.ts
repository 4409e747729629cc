import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../../../src/base/files/home.ts';
import { main } from '../../../../src/fronts/main.ts';
import { decisionStore } from '../../../../src/store/decisions.ts';
import { evidenceStore } from '../../../../src/store/evidence.ts';
import { openStore } from '../../../../src/store/open.ts';
import { projectStore } from '../../../../src/store/projects.ts';
import { bufferedHost } from '../../../support/buffered-host.ts';
import { sandbox } from '../../../support/sandbox.ts';

const NOW = new Date('2026-03-04T05:06:07.089Z');
const DAY_MS = 86_400_000;

/** A log that is followed, and its entries one by one. */
async function followed() {
  const box = sandbox();
  const repo = box.repo();
  const store = await openStore(homeOf(box.env));
  onTestFinished(() => store.close());
  const projectId = store.write(() => projectStore(store).ensure(join(repo, '.git'), NOW));
  const answer = (reason: string, at = NOW): void => {
    const boundary = { agent: 'codex', session: 's', rule: 'git push', command: 'git push' };
    const decision = { ...boundary, projectId, decision: 'deny', reason, at } as const;
    store.write(() => decisionStore(store).add(decision));
  };
  const waive = (reason: string, at = NOW): void => {
    const record = {
      ...{ projectId, feature: 'cart', fingerprint: 'f'.repeat(64), reason, besides: [], runs: [] },
    };
    const by = { actor: 'person ada', session: null, revision: null, source: null };
    const waiver = { ...record, ...by, kind: 'waived', expiresAt: null } as const;
    store.write(() => evidenceStore(store).add(waiver, at));
  };
  answer('before');
  const argv = ['log', '--follow', '--json', '--limit', '5'];
  const { host, said } = bufferedHost(argv, { env: box.env, cwd: () => repo });
  const ended = main(host);
  const reasons = (): string[] =>
    said.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).reason);
  const shown = (wanted: readonly string[]) => expect.poll(reasons).toEqual(wanted);
  const end = async (): Promise<void> => {
    host.streams.stdout.end();
    expect(await ended).toBe(0);
  };
  return { answer, waive, shown, end };
}

test('log --follow shows each entry once: those of one millisecond, and those of a clock that was set back', async () => {
  const { answer, waive, shown, end } = await followed();
  await shown(['before']);
  answer('of the same millisecond');
  waive('of that one, too');
  await shown(['before', 'of the same millisecond', 'of that one, too']);
  answer('yesterday', new Date(NOW.getTime() - DAY_MS));
  const soFar = ['before', 'of the same millisecond', 'of that one, too', 'yesterday'];
  await shown(soFar);
  waive('at last');
  await shown([...soFar, 'at last']);
  await end();
});
