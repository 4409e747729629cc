import { type Home, homeOf } from '../../src/base/files/home.ts';
import { evidenceStore } from '../../src/store/evidence.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import type { Sandbox } from '../support/sandbox.ts';

export const NOW = new Date('2026-01-02T03:04:05Z');

export function home({ env }: Sandbox): Home {
  return homeOf(env);
}

/** A store with one project, some evidence, and enough of both to fill a few dozen pages. */
export async function filled(box: Sandbox): Promise<Home> {
  const store = await openStore(home(box));
  const evidence = evidenceStore(store);
  store.write(() => {
    const projectId = projectStore(store).ensure('/project', NOW);
    for (let at = 0; at < 300; at += 1) {
      const fingerprint = at.toString(16).padStart(64, '0');
      evidence.add({ ...PASSED, projectId, fingerprint, runs: [RUN] }, NOW);
    }
  });
  store.close();
  return home(box);
}

const RUN = {
  command: 'npm test',
  cwd: '.',
  outcome: 'exited',
  exitCode: 0,
  detail: null,
  durationMs: 12,
  outputBytes: 3,
  outputDigest: 'd'.repeat(64),
  outputTail: 'ok\n'.repeat(100),
  outputFile: null,
} as const;
const PASSED = {
  feature: 'checkout',
  kind: 'passed',
  expiresAt: null,
  actor: 'ci',
  session: null,
  reason: null,
  revision: null,
  source: null,
  besides: [],
} as const;

export function projectCount({ db }: Store): unknown {
  return db.prepare('SELECT count(*) FROM projects').pluck().get();
}
