import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../../src/base/process/held-lock.ts';
import { waitForSlot } from '../../../src/base/process/slots.ts';
import { probeCompositions } from '../../../src/lanes/fit/compositions.ts';
import { openConflicts } from '../../../src/lanes/fit/open-conflicts.ts';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { laneValidationStore } from '../../../src/store/lane-validations.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { checkoutPrint } from '../queue/checkout-print.ts';

const SLOW = 240_000;
const FILES = {
  'package.json': '{ "type": "module" }\n',
  'src/area.mjs': 'export const area = (a, b) => a * b;\n',
  'src/shop.mjs': "import { area } from './area.mjs';\nexport const price = area(2, 3);\n",
  'check.mjs': `import { readdirSync } from 'node:fs';
for (const name of readdirSync('src')) await import('./src/' + name);
`,
  'docs/guide.md': 'A guide\n',
  'CHANGELOG.md': '- first\n',
  'test/limit.test.js': "import { test } from 'node:test';\n\ntest('none', () => {});\n",
};
const RENAMES = {
  'src/area.mjs': null,
  'src/surface.mjs': 'export const surface = (a, b) => a * b;\n',
  'src/shop.mjs': "import { surface } from './surface.mjs';\nexport const price = surface(2, 3);\n",
};
const USES = {
  'src/floor.mjs': "import { area } from './area.mjs';\nexport const floor = area(1, 1);\n",
};

/** Lanes a and b at work, and c on something else. */
async function atWork(
  validate: Readonly<Record<string, string>> = {},
  reads: Readonly<Record<string, readonly string[]>> = {},
) {
  const rows = await laneRows({ files: FILES, validate: `"${process.execPath}" check.mjs` });
  const attempts = new Map<string, string>();
  for (const key of ['a', 'b', 'c']) {
    const command = validate[key];
    const wish = { reads: reads[key] ?? [] };
    rows.addLane(key, command === undefined ? wish : { ...wish, validate: command });
    attempts.set(key, rows.start(key));
  }
  /** Returns what is recorded of the lane's state and each of the others'. */
  const probe = async (key: string, sha: string, slots?: number) => {
    await probeCompositions(rows.context, {
      run: rows.run,
      laneId: rows.lane(key).id,
      sha,
      slots: slots ?? 2,
      signal: new AbortController().signal,
    });
    const keyOf = (id: string | null) => rows.lanes.byId(id ?? '')?.key;
    const validations = laneValidationStore(rows.context.store);
    return rows.context.store.db
      .prepare<[string, string], Record<string, string> & { related: number }>(
        'SELECT * FROM compositions WHERE a_sha = ? OR b_sha = ? ORDER BY seq',
      )
      .all(sha, sha)
      .map((row) => ({
        lanes: [keyOf(row.a_lane_id ?? null), keyOf(row.b_lane_id ?? null)],
        paths: JSON.parse(row.conflicts ?? ''),
        related: row.related === 1,
        validation: validations.byId(row.validation_id ?? '')?.result,
      }));
  };
  return {
    ...rows,
    probe,
    /** Does what a supervisor does with each new checkpoint. */
    checkpoint(key: string, edits: Parameters<typeof rows.checkpoint>[2], slots?: number) {
      return probe(key, rows.checkpoint(key, attempts.get(key) ?? '', edits), slots);
    },
    open: () => openConflicts(rows.context, rows.run.id),
    told: () =>
      rows
        .events()
        .filter(({ type }) => type === 'composition')
        .map(({ data }) => data),
  };
}

describe('C4: composition probes while lanes run', () => {
  test(
    'a lane that breaks the validation which another one brings is in conflict with it',
    async () => {
      const own = `"${process.execPath}" own.mjs`;
      const it = await atWork({ a: 'true', b: own });
      await it.checkpoint('a', RENAMES);
      await it.checkpoint('b', { ...USES, 'own.mjs': "import './src/floor.mjs';\n" });
      expect(it.open()).toMatchObject([{ lanes: ['a', 'b'], kind: 'validation', command: own }]);
    },
    SLOW,
  );

  test(
    'lanes that merge but fail together are found while both are at work',
    async () => {
      const it = await atWork();
      await it.checkpoint('a', RENAMES);
      await it.checkpoint('c', { 'docs/guide.md': 'A better guide\n' });
      const trees = () =>
        ['a', 'b', 'c'].map((key) => [
          it.box.git(it.treeOf(key), 'status', '--porcelain'),
          it.box.git(it.treeOf(key), 'rev-parse', 'HEAD'),
        ]);
      const checkout = checkoutPrint(it.box, it.repo);

      const found = await it.checkpoint('b', USES);
      const before = trees();

      expect(found).toEqual([
        { lanes: ['a', 'b'], paths: [], related: true, validation: 'fail' },
        { lanes: ['b', 'c'], paths: [], related: false, validation: undefined },
      ]);
      expect(it.open()).toMatchObject([
        { lanes: ['a', 'b'], kind: 'validation', command: `"${process.execPath}" check.mjs` },
      ]);
      expect(it.told()).toMatchObject([
        {
          conflict: 'validation',
          lanes: ['a', 'b'],
          command: `"${process.execPath}" check.mjs`,
        },
      ]);
      expect(['a', 'b', 'c'].map(it.state)).toEqual(['running', 'running', 'running']);
      expect(trees()).toEqual(before);
      expect(checkoutPrint(it.box, it.repo)).toEqual(checkout);
      expect(readFileSync(join(it.treeOf('b'), 'src/floor.mjs'), 'utf8')).toContain('area');
    },
    SLOW,
  );

  test(
    'a text conflict is reported once, and its resolution once',
    async () => {
      const it = await atWork();
      await it.checkpoint('a', { 'docs/guide.md': 'By a\n' });
      await it.checkpoint('b', { 'docs/guide.md': 'By b\n' });
      expect(it.open()).toMatchObject([
        { lanes: ['a', 'b'], kind: 'text', paths: ['docs/guide.md'] },
      ]);
      await it.checkpoint('b', { 'docs/guide.md': 'By b\n', 'docs/more.md': 'more\n' });
      expect(it.open()).toHaveLength(1);
      await it.checkpoint('b', { 'docs/guide.md': 'A guide\n' });
      expect(it.open()).toEqual([]);
      expect(it.told().map(({ conflict }) => conflict)).toEqual(['text', 'resolved']);
    },
    SLOW,
  );

  test(
    'two files of one number are told while both lanes are at work, and dates are no numbers',
    async () => {
      const it = await atWork({ a: 'true', b: 'true' });
      const files = (name: string) => ({
        [`db/V7__${name}.sql`]: '',
        [`db/8_${name}.sql`]: '',
        [`log/2026-11-26-${name}.md`]: '',
        [`${name}/1_x.sql`]: '',
      });
      await it.checkpoint('a', files('a'));
      await it.checkpoint('b', { ...files('b'), 'db/V7__b.sql': null, 'db/8_b.sql': null });
      expect(it.open()).toEqual([]);
      await it.checkpoint('b', { ...files('b'), 'db/8_b.sql': null });
      const paths = ['db/V7__a.sql', 'db/V7__b.sql'];
      expect(it.open()).toMatchObject([{ lanes: ['a', 'b'], kind: 'number', paths }]);
      await it.checkpoint('b', { 'db/V7__b.sql': null, 'db/V9__b.sql': '' });
      expect(it.told().map(({ conflict }) => conflict)).toEqual(['number', 'resolved']);
    },
    SLOW,
  );

  test(
    'lanes that add to the same list are no conflict: what is validated has both additions',
    async () => {
      const list = 'CHANGELOG.md';
      const finds = (line: string) => `grep --quiet "${line}" ${list}`;
      const it = await atWork({ a: finds('by a'), b: finds('by b') }, { a: ['src/**'] });
      await it.checkpoint('a', { [list]: '- first\n- by a\n' });
      const [found] = await it.checkpoint('b', { [list]: '- first\n- by b\n', ...USES });
      expect(found).toEqual({ lanes: ['a', 'b'], paths: [], related: true, validation: 'pass' });
      expect(it.open()).toEqual([]);
      expect(it.told()).toEqual([]);
    },
    SLOW,
  );

  test(
    'additions that do not pass together are a conflict, with their file and what fails',
    async () => {
      const path = 'test/limit.test.js';
      const validate = `test $(grep --count "=>" ${path}) -le 2`;
      const it = await atWork({ a: validate, b: validate });
      const adds = (name: string) => ({ [path]: `${FILES[path]}\ntest('${name}', () => {});\n` });
      await it.checkpoint('a', adds('by a'));
      await it.checkpoint('b', adds('by b'));
      const found = { lanes: ['a', 'b'], paths: [path], command: validate };
      expect(it.open()).toMatchObject([{ kind: 'text', ...found }]);
      expect(it.told()).toMatchObject([{ conflict: 'text', ...found }]);
      await it.checkpoint('b', { [path]: `${FILES[path]}\nconst most = 2;\n` });
      expect(it.open()).toEqual([]);
      expect(it.told().map(({ conflict }) => conflict)).toEqual(['text', 'resolved']);
    },
    SLOW,
  );

  test(
    'a lane that fails alone does not conflict with others',
    async () => {
      const it = await atWork();
      await it.checkpoint('a', { 'src/area.mjs': 'export const area = () => ;\n' });
      const found = await it.checkpoint('b', USES);
      expect(found[0]).toMatchObject({ lanes: ['a', 'b'], related: true, validation: 'fail' });
      expect(it.open()).toEqual([]);
      expect(it.told()).toEqual([]);
    },
    SLOW,
  );

  test(
    'the validation waits for a free slot',
    async () => {
      const it = await atWork();
      const locks = join(it.box.laneholdHome, 'locks');
      const wish = { kind: 'validate', count: 1, priority: 0 } as const;
      const slot = await waitForSlot(locks, wish, new AbortController().signal);
      await it.checkpoint('a', RENAMES, 1);
      await it.checkpoint('b', USES, 1);
      expect(it.validations()).toEqual([]);
      slot.release();
      const sha = it.git('rev-parse', `refs/lanehold/${it.run.id}/b/ckpt`);
      await it.probe('b', sha, 1);
      expect(it.open()).toMatchObject([{ lanes: ['a', 'b'], kind: 'validation' }]);
      const runs = it.validations().length;
      await it.probe('b', sha, 1);
      expect(it.validations()).toHaveLength(runs);
    },
    SLOW,
  );

  test(
    'does not wait for the scratch tree while it is in use',
    async () => {
      const it = await atWork();
      await it.checkpoint('a', RENAMES);
      const locks = join(it.box.laneholdHome, 'locks');
      mkdirSync(locks);
      const lock = takeLock(join(locks, `composition-${it.run.id}.lock`));
      await it.checkpoint('b', USES);
      lock?.release();
      expect(it.validations()).toEqual([]);
    },
    SLOW,
  );
});

test(
  'integrated lanes count as the tip, and ended lanes are not reported',
  async () => {
    const it = await atWork();
    it.verified('d', { 'docs/guide.md': 'By d\n' });
    const sha = it.checkpoint('a', { 'docs/guide.md': 'By a\n' });
    expect((await sha).map(({ lanes }) => lanes)).toEqual([['a', 'd']]);
    expect(it.open()).toMatchObject([{ lanes: ['a', 'd'] }]);
    await integrate(it.context, it.run, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    expect(it.open()).toEqual([]);
    await it.checkpoint('a', { 'docs/guide.md': 'By a, again\n' });
    expect(it.open()).toMatchObject([{ lanes: ['a', undefined], paths: ['docs/guide.md'] }]);
  },
  SLOW,
);

const HOSTILE = [
  'src/new\nline.mjs',
  'src/-e.txt',
  'src/$(touch pwned).txt',
  'src/"quoted" \'file\'.txt',
  'src/:(top)*.txt',
  'src/💥 .txt',
];

test.each(HOSTILE)(
  'a file named %j is merged, related and reported like any other',
  async (name) => {
    const it = await atWork();
    await it.checkpoint('a', { [name]: 'by a\n', 'docs/guide.md': `see ${name}\n` });
    const [found] = await it.checkpoint('b', { [name]: 'by b\n' });
    expect(found).toMatchObject({ lanes: ['a', 'b'], paths: [name], related: true });
    expect(it.open()).toMatchObject([{ kind: 'text', paths: [name] }]);
    expect(it.told()).toMatchObject([{ paths: [name] }]);
  },
  SLOW,
);
