/** Use cases are what every front shares: their data is the JSON output, and they print nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AppContext } from '../../src/app/context.ts';
import {
  featureCoverage,
  featureHistory,
  listFeatures,
  showFeature,
} from '../../src/app/hold/features.ts';
import { judgeCommit, judgeShellCommand } from '../../src/app/hold/gate.ts';
import { pendingFeatures } from '../../src/app/hold/holds.ts';
import { createLane } from '../../src/app/lanes/lanes.ts';
import { beginRun, runStatus } from '../../src/app/lanes/runs.ts';
import { listSettings, readSetting } from '../../src/app/setup/settings.ts';
import { projectStatus, readLog } from '../../src/app/setup/status.ts';
import { runView } from '../../src/app/view/lanes.ts';
import { needsView } from '../../src/app/view/needs.ts';
import { createContext } from '../../src/fronts/cli/command.ts';
import { quickStatus } from '../../src/moments/lifecycle/status-line.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const NOW = new Date('2026-03-04T05:06:07Z');

const FAKE_AGENTS = join(import.meta.dirname, '../fixtures/bin');

type UseCase = readonly [argv: string, data: (context: AppContext) => Promise<unknown>];

const EVENTS = ['pass', 'deny', 'ask', 'waived', 'attested'] as const;

const USE_CASES: readonly UseCase[] = [
  ['feature list', listFeatures],
  ['feature show cart', (it) => showFeature(it, 'cart')],
  ['feature coverage', featureCoverage],
  ['feature history cart', (it) => featureHistory(it, 'cart', 20)],
  ['feature pending', async (it) => (await pendingFeatures(it)).data],
  ['gate --base origin/main', async (it) => (await judgeCommit(it, { base: 'origin/main' })).data],
  ['gate --command ls', (it) => judgeShellCommand(it, 'ls')],
  [
    'status',
    async (it) => ({ ...(await projectStatus(it)).data, needs: (await needsView(it)).needs }),
  ],
  ['status --quick', quickStatus],
  [
    'log',
    async (it) => ({
      entries: (await readLog(it, { limit: 20, events: EVENTS, all: false })).entries,
    }),
  ],
  ['config get gate.opaque', (it) => readSetting(it, 'gate.opaque')],
  ['config list gate', (it) => listSettings(it, 'gate')],
];

/** A shop with a change that is not verified, and an answer of the gate. */
async function changedShop() {
  const box = sandbox();
  // Nothing is to change the state of a run between two looks at it.
  box.write('home/.lanehold/config.json', JSON.stringify({ lanes: { baseline: 'when-needed' } }));
  const project = shop(box);
  project.change('src/cart/add.ts');
  await project.lanehold('feature', 'waive', 'checkout', '--reason', 'closed today');
  const run = async (argv: string) => {
    const words = [...argv.split(' '), '--json'];
    const { stdout } = await command(box, project.repo, words, { now: NOW });
    return JSON.parse(stdout);
  };
  const { host, said } = bufferedHost([], {
    env: { ...box.env, PATH: `${FAKE_AGENTS}:${process.env.PATH}` },
    cwd: () => project.repo,
    now: () => NOW,
  });
  return { run, context: createContext(host, {}), said };
}

test('what a use case returns is what `--json` prints', async () => {
  const { run, context, said } = await changedShop();
  for (const [argv, data] of USE_CASES) {
    const printed = await run(argv);
    expect({ argv, data: asJson(await data(context)) }).toEqual({ argv, data: printed });
  }
  expect(said).toEqual({ stdout: '', stderr: '' });
});

test('so it is for runs and lanes', async () => {
  const { run, context } = await changedShop();
  const { run: begun } = await beginRun(context, { goal: 'Ship it', base: 'HEAD', runBudget: {} });
  const spec = { desc: 'Add', validate: 'true', agent: 'codex', touches: ['src/**'] };
  const { lane } = await createLane(context, { key: 'api', spec, start: false });
  expect(lane.spec.agent).toBe('codex');
  const status = await runStatus(context, { run: begun.name });
  if (status.kind !== 'board') throw new Error('one run is open');
  const { events, ...board } = await run('orchestrate status');
  expect(asJson(await status.read())).toEqual(board);
  expect(asJson((await runView(context)).run?.events)).toEqual(events);
});

test('no use case prints, ends the process or knows a front', () => {
  const folder = join(import.meta.dirname, '../../src/app');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const pattern =
        /from '(?:commander|chalk|log-update)'|\/(?:cli|hook)\/|process\.(?:exit|stdout|stderr)|console\./g;
      return (text.match(pattern) ?? []).map((match) => `${name}: ${match}`);
    });
  expect(found).toEqual([]);
});

const asJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data));
