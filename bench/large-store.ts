/**
 * `npm run bench:large-store [-- --mb 1000] [--runs 15]`: what hooks cost as whole processes on a large
 * store, beside a small one and bare Node in turns. Medians of wall-clock time.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { homeOf } from '../src/base/files/home.ts';
import { putItem } from '../src/recall/put-item.ts';
import { observationStore } from '../src/store/observations.ts';
import { openStore, type Store } from '../src/store/open.ts';
import { projectStore } from '../src/store/projects.ts';
import { recallStore } from '../src/store/recall.ts';

import { seededRandom } from '../test/support/seeded-random.ts';

const { values } = parseArgs({
  options: { mb: { type: 'string', default: '1000' }, runs: { type: 'string', default: '15' } },
});
const root = mkdtempSync(join(tmpdir(), 'lanehold-large-'));
const folder = join(root, 'shop');
mkdirSync(folder);
const HOOK_PROGRAM = join(import.meta.dirname, '../hooks/lanehold-hook.cjs');
const random = seededRandom(3);
const WORDS = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 3 + Math.floor(random() * 6) }, () =>
    String.fromCharCode(97 + Math.floor(random() * 26)),
  ).join(''),
);
const prose = (count: number): string =>
  // The rarer the later, as in language.
  Array.from({ length: count }, () => WORDS[Math.floor(random() ** 3 * WORDS.length)]).join(' ');

const environmentOf = (name: string) => ({
  PATH: process.env.PATH,
  HOME: join(root, name),
  LANEHOLD_HOME: join(root, name, '.lanehold'),
  LANEHOLD_BACKGROUND: 'off',
});

async function fill(name: string, bytes: number): Promise<void> {
  mkdirSync(join(root, name));
  const store = await openStore(homeOf(environmentOf(name)));
  const projectId = store.write(() => projectStore(store).ensure(folder, new Date()));
  const items = recallStore(store);
  for (let round = 0; round === 0 || statSync(store.home.database).size < bytes; round += 1) {
    store.write(() => {
      for (let at = 0; at < 2_000; at += 1) addEvent(store, projectId, round * 2_000 + at);
      for (let at = 0; at < 200; at += 1) putItem(items, itemOf(projectId, round * 200 + at));
    });
    process.stderr.write(`\r${name}: ${Math.round(statSync(store.home.database).size / 1e6)} MB`);
  }
  process.stderr.write('\n');
  store.close();
}

const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - random() * days * DAY);
const NOTHING = { name: null, category: null, rules: null, outcome: null, outputBytes: null };

function addEvent(store: Store, projectId: number, number: number): void {
  observationStore(store).add({
    ...{ ...NOTHING, projectId, agent: 'claude-code', session: `s${Math.floor(number / 100)}` },
    ...{ at: ago(90), kind: 'prompt', text: prose(120), files: [], source: null },
  });
}

const itemOf = (projectId: number, number: number) => ({
  ...{
    uid: `lh-${number}`,
    projectId,
    kind: number % 2 ? 'summary' : 'gotcha',
    status: 'active' as const,
  },
  ...{
    title: prose(10),
    body: prose(200),
    conditions: '',
    files: [`src/${prose(1)}.ts`],
    links: [],
  },
  ...{ commands: [], why: null, path: null, branch: null, source: 'agent', agent: null },
  ...{ session: `s${number}`, at: ago(300), checkedAt: null, digest: `${number}`, anchors: null },
});

const MOMENTS = {
  'a prompt': ['prompt-submit', { prompt: `why does ${prose(12)} fail` }],
  'small talk': ['prompt-submit', { prompt: 'ok, go on' }],
  'session start': ['session-start', { hook_event_name: 'SessionStart', source: 'startup' }],
  'end of a turn': ['stop', { hook_event_name: 'Stop', last_assistant_message: prose(60) }],
} as const;

function run(name: string, moment: keyof typeof MOMENTS, session: string): number {
  const [event, more] = MOMENTS[moment];
  const payload = {
    session_id: session,
    cwd: folder,
    hook_event_name: 'UserPromptSubmit',
    ...more,
  };
  return timed([HOOK_PROGRAM, event, '--agent', 'claude-code'], environmentOf(name), payload);
}

function timed(args: readonly string[], env: NodeJS.ProcessEnv, payload: object): number {
  const began = performance.now();
  const options = { env, cwd: folder, input: JSON.stringify(payload), encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
  return performance.now() - began;
}

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[of.length >> 1] ?? 0;

try {
  await fill('small', 0);
  await fill('large', Number(values.mb) * 1e6);
  for (const moment of Object.keys(MOMENTS) as (keyof typeof MOMENTS)[]) {
    const times: Record<'node' | 'small' | 'large', number[]> = { node: [], small: [], large: [] };
    // The first run of each writes the cache of compiled code.
    for (let at = -2; at < Number(values.runs); at += 1) {
      const round = {
        node: timed(['-e', ''], { PATH: process.env.PATH }, {}),
        small: run('small', moment, `new${at}`),
        large: run('large', moment, `new${at}`),
      };
      if (at >= 0)
        for (const key of ['node', 'small', 'large'] as const) times[key].push(round[key]);
    }
    const [node, small, large] = [times.node, times.small, times.large].map(median) as [
      number,
      number,
      number,
    ];
    const factor = (ms: number) => `${ms.toFixed(0)} ms (${(ms / node).toFixed(2)} x)`;
    process.stdout.write(
      `${moment.padEnd(14)} bare Node ${node.toFixed(0)} ms, small store ${factor(small)}, large store ${factor(large)}\n`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
