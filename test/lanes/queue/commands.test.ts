import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneStore } from '../../../src/store/lanes.ts';
import { laneRows } from '../../support/lane-rows.ts';

const SLOW = 240_000;
const FILES = { 'shared.txt': 'one\n', 'check.sh': 'test ! -e broken || ! test -e user\n' };
const rowsWith = () => laneRows({ files: FILES });

const STEPS = [
  'queued api, ui, user',
  'merged api, user',
  'validating api + user',
  'api + user: failed',
  'validating api',
  'api: passed',
  'user breaks `sh check.sh`',
  'ui conflicts with api in shared.txt',
];

test(
  'integrate reports lanes, culprits and conflicts; land moves the target branch',
  async () => {
    const it = await rowsWith();
    it.verified('api', { 'shared.txt': 'two\n', broken: '' });
    it.verified('ui', { 'shared.txt': 'three\n' });
    it.verified('user', { user: '' });
    it.addLane('later');

    const integrated = await it.box.cli(it.repo, 'orchestrate', 'integrate');

    expect(integrated.stdout).toBe(`Integrated 1: api
  user   culprit   fails \`sh check.sh\`, merged with api
  ui     conflict  conflicts with api in shared.txt
  later  planned   not verified
hint: \`lanehold orchestrate retry user --run billing\` lets its worker repair it
hint: \`lanehold orchestrate retry ui --run billing\` lets its worker repair it
hint: \`lanehold orchestrate land --run billing\`
`);
    expect(integrated.exitCode).toBe(3);
    expect(integrated.stderr).toContain('validating api + user');

    const again = await it.box.cli(it.repo, 'orchestrate', 'integrate');
    expect(again.stdout).toBe(`Nothing to integrate
  ui     conflict  since an earlier integration
  user   culprit   since an earlier integration
  later  planned   not verified
hint: \`lanehold orchestrate retry ui --run billing\` lets its worker repair it
hint: \`lanehold orchestrate retry user --run billing\` lets its worker repair it
`);
    expect(again.exitCode).toBe(3);

    const explained = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--explain');
    expect(explained.stdout).toMatch(/^Integration of billing, 20/);
    const { run, steps } = JSON.parse(
      (await it.box.cli(it.repo, 'orchestrate', 'integrate', '--explain', '--json')).stdout,
    );
    expect(run).toBe('billing');
    expect(steps).toEqual(expect.arrayContaining(STEPS));

    const landed = await it.box.cli(it.repo, 'orchestrate', 'land');
    expect(landed.stdout).toBe(`Landed api on main
Left to do:
  ui     conflict
  user   culprit
  later  planned
`);
    expect(landed.exitCode).toBe(0);
    expect(readFileSync(join(it.repo, 'shared.txt'), 'utf8')).toBe('two\n');
  },
  SLOW,
);

test(
  'both print JSON, and exit with 3 when held',
  async () => {
    const it = await rowsWith();
    it.verified('api', { 'shared.txt': 'two\n' });
    const early = await it.box.cli(it.repo, 'orchestrate', 'land', '--json');
    expect(JSON.parse(early.stdout)).toMatchObject({ verdict: 'held', reason: 'nothing' });
    const integrated = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--json');
    expect(JSON.parse(integrated.stdout)).toMatchObject({
      integrated: [{ lane: 'api' }],
      culprits: [],
      tip: it.tip(),
    });
    it.box.write(join(it.repo, 'shared.txt'), 'mine\n');
    const held = await it.box.cli(it.repo, 'orchestrate', 'land');
    expect([early.exitCode, integrated.exitCode, held.exitCode]).toEqual([3, 0, 3]);
    expect(held.stdout).toBe(
      `Not landed: shared.txt in ${it.repo} would be overwritten
hint: commit it or move it away, then land again
`,
    );

    it.git('checkout', '--quiet', 'shared.txt');
    const both = await it.box.cli(it.repo, 'orchestrate', 'land', '--squash', '--rebase');
    expect([both.exitCode, both.stderr]).toEqual([
      2,
      expect.stringContaining('--squash and --rebase do not go together'),
    ]);
    it.box.write(join(it.repo, 'lanehold.json'), '{ "lanes": { "land": "squash" } }\n');
    const landed = await it.box.cli(it.repo, 'orchestrate', 'land', '--json');
    expect(JSON.parse(landed.stdout)).toMatchObject({ verdict: 'landed', way: 'squash' });
    expect(it.git('log', '-1', '--format=%P', 'main')).toBe(it.base);
  },
  SLOW,
);

test(
  'a message that no attempt has got holds its lane until a person agrees, and an integrated lane takes none',
  async () => {
    const it = await rowsWith();
    it.verified('api', { 'shared.txt': 'two\n' });
    const orchestrate = (...argv: string[]) => it.box.cli(it.repo, 'orchestrate', ...argv);
    await orchestrate('tell', 'api', 'Sort them, please');

    const held = await orchestrate('integrate');
    expect(held.stdout).toBe(`Integrated none of 1 lane
  api  held  to be looked at: message-not-delivered (Sort them, please)
hint: \`lanehold orchestrate lane diff api --run billing\`
hint: \`lanehold orchestrate retry api --notes 'WHAT IS WRONG' --run billing\`
hint: \`lanehold orchestrate integrate --accept api --run billing\`
`);
    expect(held.exitCode).toBe(3);
    const agreed = await orchestrate('integrate', '--accept', 'api');
    expect(agreed.stdout).toContain('Integrated 1: api');

    const late = await orchestrate('tell', 'api', 'Once more');
    expect([late.exitCode, late.stderr]).toEqual([
      2,
      expect.stringContaining('lane api is integrated: nobody works on it any more'),
    ]);
  },
  SLOW,
);

test(
  'a named lane has to be verified',
  async () => {
    const it = await rowsWith();
    it.addLane('api');
    const named = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--lane', 'api');
    expect(named.exitCode).toBe(2);
    expect(named.stderr).toContain('lane `api` is not verified: it is planned');
    const unknown = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--lane', 'apo');
    expect(unknown.stderr).toContain('did you mean `api`?');
    const over = it.verified('old', { 'old.txt': '' });
    it.context.store.write(() => laneStore(it.context.store).setIntent(over.id, 'cancelled'));
    const old = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--lane', 'old');
    expect(old.stderr).toContain('lane `old` is cancelled: nothing is left to be done with it');
    const none = await it.box.cli(it.repo, 'orchestrate', 'integrate');
    expect([none.exitCode, none.stdout]).toEqual([
      0,
      'Nothing to integrate\n  api  planned  not verified\n',
    ]);
  },
  SLOW,
);

test(
  'integrate reports the features of the tip that are not verified',
  async () => {
    const features = { pay: { files: ['pay/**'], smoke: ['true'] } };
    const it = await laneRows({
      files: { ...FILES, 'lanehold.json': JSON.stringify({ features }) },
    });
    it.verified('a', { 'pay/a.txt': 'a\n' });
    const { stdout } = await it.box.cli(it.repo, 'orchestrate', 'integrate', '--json');
    expect(JSON.parse(stdout).features).toEqual({ known: true, held: ['pay'], verified: [] });
  },
  SLOW,
);
