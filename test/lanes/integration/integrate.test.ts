import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type IntegrateOptions, integrate } from '../../../src/lanes/integration/integrate.ts';
import { identityOf, isAlive } from '../../../src/process/process-identity.ts';
import { integrationStore } from '../../../src/store/integrations.ts';
import { type LaneRows, laneRows } from '../../support/lane-rows.ts';
import { runNode } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { checkoutPrint } from './checkout-print.ts';

const SLOW = 60_000;
const CHECK = `set -e
echo x >> "$CHECKS"
for check in checks/*.sh; do sh "$check"; done
`;
/** Fails as soon as somebody has changed the words and somebody else still uses the old one. */
const WORDS = `word=$(cat words.txt)
for user in users/*; do grep -q "$word" "$user"; done
`;

async function shop(options: { files?: Record<string, string>; validate?: string } = {}) {
  const files = {
    'check.sh': CHECK,
    'checks/words.sh': WORDS,
    'words.txt': 'area\n',
    'users/first': 'uses area\n',
    'shared.txt': 'one\ntwo\nthree\n',
    ...options.files,
  };
  const { validate } = options;
  const rows = await laneRows({ files, ...(validate === undefined ? {} : { validate }) });
  const journal = join(rows.box.root, 'checks');
  const world = { ...rows.world, env: { ...rows.world.env, CHECKS: journal } };
  const progress: string[] = [];
  return {
    ...rows,
    world,
    progress,
    runs: () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0),
    integrate: (more: Partial<IntegrateOptions> = {}) =>
      integrate(world, rows.run, {
        signal: new AbortController().signal,
        progress: (line) => progress.push(line),
        ...more,
      }),
  };
}

const rowsOf = ({ world, run }: Pick<LaneRows, 'world' | 'run'>) =>
  integrationStore(world.store).ofRun(run.id);

describe('C6: integration queue that never touches the user’s checkout', () => {
  test(
    'six verified lanes, one breaks the result, one conflicts: four come in',
    async () => {
      const it = await shop();
      it.verified('a', { 'a.txt': 'a\n', 'shared.txt': 'ONE\ntwo\nthree\n' });
      it.verified('b', { 'b.txt': 'b\n' });
      it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
      it.verified('uses', { 'users/second': 'uses area\n' });
      it.verified('conflicts', { 'shared.txt': 'uno\ntwo\nthree\n' });
      it.verified('c', { 'c.txt': 'c\n' });
      it.box.write(join(it.repo, 'shared.txt'), 'dirty\n');
      it.box.write(join(it.repo, 'staged.txt'), 'staged\n');
      it.git('add', 'staged.txt');
      it.box.write(join(it.repo, 'untracked.txt'), 'untracked\n');
      const before = checkoutPrint(it.box, it.repo);

      const report = await it.integrate();

      expect(report.integrated.map(({ lane }) => lane)).toEqual(['a', 'b', 'renames', 'c']);
      expect(report.culprits).toMatchObject([
        { lane: 'uses', command: 'sh check.sh', with: ['a', 'b', 'renames'] },
      ]);
      expect(report.conflicts).toEqual([{ lane: 'conflicts', paths: ['shared.txt'], with: ['a'] }]);
      expect(checkoutPrint(it.box, it.repo)).toEqual(before);
      expect(it.tip()).toBe(report.tip);
      const proofs = it.validations().filter(({ subject }) => subject === 'integration');
      expect(proofs.length).toBeLessThanOrEqual(6);
      expect(proofs.some(({ sha, result }) => sha === report.tip && result === 'pass')).toBe(true);
      expect(['a', 'b', 'c', 'renames'].map(it.state)).toEqual(Array(4).fill('integrated'));
      expect([it.state('uses'), it.state('conflicts')]).toEqual(['culprit', 'conflict']);
      expect(it.show(report.tip, 'c.txt')).toBe('c');
    },
    SLOW,
  );

  test(
    'a tip that somebody else moves meanwhile is planned on anew',
    async () => {
      const it = await shop();
      it.verified('a', { 'a.txt': 'a\n' });
      const other = it.git('commit-tree', `${it.base}^{tree}`, '-p', it.base, '-m', 'other');
      const moves = `if mkdir "$CHECKS.once" 2>/dev/null
then git update-ref ${it.run.integrationRef} ${other}; fi`;
      it.addLane('b', { validate: `${moves}; sh check.sh` });
      it.commitLane('b', { 'b.txt': 'b\n' });
      it.verify('b');

      const report = await it.integrate();

      expect(report.integrated.map(({ lane }) => lane)).toEqual(['a', 'b']);
      expect(it.git('merge-base', '--is-ancestor', other, report.tip)).toBe('');
      expect(it.progress).toContain('somebody else moved the tip: planning again on the new one');
    },
    SLOW,
  );

  test(
    'two integrators at once: one does the work, the other finds it done',
    async () => {
      const it = await shop();
      it.verified('a', { 'a.txt': 'a\n' });
      it.verified('b', { 'b.txt': 'b\n' });
      const reports = await Promise.all([it.integrate(), it.integrate()]);
      expect(reports.flatMap(({ integrated }) => integrated).map(({ lane }) => lane)).toEqual([
        'a',
        'b',
      ]);
      expect(new Set(reports.map(({ tip }) => tip))).toEqual(new Set([it.tip()]));
      expect(it.runs()).toBe(1);
    },
    SLOW,
  );

  test(
    'SIGKILL at each step leaves the old tip or the new one, and the next integration finishes',
    async () => {
      const child = join(import.meta.dirname, 'killed-integrator.ts');
      const tips: string[] = [];
      for (let step = 1, killed = true; killed; step += 1) {
        const it = await shop();
        it.verified('a', { 'a.txt': 'a\n' });
        it.verified('b', { 'b.txt': 'b\n' });
        const ran = await runNode(child, [it.run.id, String(step)], {
          cwd: it.repo,
          env: it.world.env,
        });
        killed = ran.signal === 'SIGKILL';
        if (!killed) expect(ran).toMatchObject({ exitCode: 0 });
        const tip = it.tip();
        const proved = it.validations().some(({ sha, result }) => sha === tip && result === 'pass');
        expect(tip === it.base || proved).toBe(true);
        tips.push(tip === it.base ? 'old' : 'new');
        await it.integrate();
        expect([it.state('a'), it.state('b')]).toEqual(['integrated', 'integrated']);
        expect(it.show(it.tip(), 'b.txt')).toBe('b');
        // A validation that passed before the kill counts.
        expect(it.runs()).toBeLessThanOrEqual(2);
        if (proved) expect(it.tip()).toBe(tip);
      }
      expect(tips.length).toBeGreaterThan(4);
      expect(new Set(tips)).toEqual(new Set(['old', 'new']));
    },
    SLOW,
  );

  test(
    'what a killed integrator left running is ended before its tree is used again',
    async () => {
      const it = await shop({
        validate:
          'if mkdir "$CHECKS.once" 2>/dev/null; then echo $$ > "$CHECKS.pid"; sleep 600; fi',
      });
      it.verified('a', { 'a.txt': 'a\n' });
      const script = join(import.meta.dirname, 'killed-integrator.ts');
      const { cwd, env } = { cwd: it.repo, env: it.world.env };
      const child = spawn(process.execPath, [script, it.run.id], { cwd, env, stdio: 'ignore' });
      const pid = await until('the validation', () => {
        const file = `${env.CHECKS}.pid`;
        return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined;
      });
      const left = identityOf(pid);
      onTestFinished(() => {
        // It leads a group of its own.
        if (left && isAlive(left)) process.kill(-pid, 'SIGKILL');
      });
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(left && isAlive(left)).toBe(true);
      const report = await it.integrate();
      expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
      expect(left && isAlive(left)).toBe(false);
    },
    SLOW,
  );
});

test(
  'all that comes in together has the final tip as its result, and nothing is done twice',
  async () => {
    const it = await shop();
    it.verified('a', { 'a.txt': 'a\n' });
    it.verified('b', { 'b.txt': 'b\n' });
    const report = await it.integrate();
    expect(rowsOf(it).map(({ resultSha, state }) => [resultSha, state])).toEqual([
      [report.tip, 'integrated'],
      [report.tip, 'integrated'],
    ]);
    const again = await it.integrate();
    expect(again).toMatchObject({ integrated: [], tip: report.tip, from: report.tip });
    expect(it.runs()).toBe(1);
  },
  SLOW,
);

test(
  'a lane comes in after those that it starts from, whatever the order of adding',
  async () => {
    const it = await shop();
    it.verified('api', { 'api.txt': 'one\n' });
    it.verified('ui', { 'ui.txt': 'one\n' }, { needs: ['api'], from: 'api' });
    const report = await it.integrate({ lanes: ['ui'] });
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['api', 'ui']);
  },
  SLOW,
);

test(
  'what contains the work of a culprit stays out with it, and says why',
  async () => {
    const it = await shop();
    it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
    it.verified('uses', { 'users/second': 'uses area\n' });
    it.verified('more', { 'more.txt': 'more\n' }, { needs: ['uses'], from: 'uses' });
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['renames']);
    expect(report.culprits.map(({ lane }) => lane)).toEqual(['uses']);
    expect(report.withheld).toEqual([
      { lane: 'more', why: 'it contains the work of uses, which is not integrated' },
    ]);
    expect(it.state('more')).toBe('verified');
    expect(existsSync(join(it.repo, 'more.txt'))).toBe(false);
    expect(() => it.show(report.tip, 'more.txt')).toThrow();
  },
  SLOW,
);

test(
  'what lanes proved that are in already is to stay true',
  async () => {
    const it = await shop({ files: { 'own.sh': 'test ! -e forbidden.txt\n' } });
    it.verified('strict', { 'strict.txt': 'x\n' }, { validate: 'sh own.sh' });
    await it.integrate();
    it.verified('loose', { 'forbidden.txt': 'x\n' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([{ lane: 'loose', command: 'sh own.sh' }]);
    expect(report.tip).toBe(report.from);
  },
  SLOW,
);

test(
  'brings in first what the target branch got meanwhile, and blames nobody for it',
  async () => {
    const it = await shop();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.box.write(join(it.repo, 'theirs.txt'), 'theirs\n');
    const theirs = it.box.commit(it.repo, 'theirs');
    const merged = await it.integrate();
    expect(merged.target).toEqual({ state: 'merged', ref: 'refs/heads/main', sha: theirs });
    expect(it.show(merged.tip, 'a.txt')).toBe('a');
    expect(it.show(merged.tip, 'theirs.txt')).toBe('theirs');

    it.box.write(join(it.repo, 'a.txt'), 'theirs\n');
    it.box.commit(it.repo, 'theirs, too');
    it.verified('b', { 'b.txt': 'b\n' });
    const conflict = await it.integrate();
    expect(conflict.target).toMatchObject({ state: 'conflict', paths: ['a.txt'] });
    expect(conflict.integrated.map(({ lane }) => lane)).toEqual(['b']);
  },
  SLOW,
);

test(
  'a validation that cannot run blames nobody',
  async () => {
    const it = await shop({ validate: 'kill -9 $$' });
    it.verified('a', { 'a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report).toMatchObject({ integrated: [], culprits: [], tip: it.base });
    expect(report.stopped).toContain('could not be run');
    expect(it.state('a')).toBe('verified');
  },
  SLOW,
);

test(
  'an interrupted integration leaves the lanes as they were',
  async () => {
    const it = await shop();
    it.verified('a', { 'a.txt': 'a\n' });
    const interruption = new AbortController();
    const progress = (line: string) => {
      if (line.startsWith('validating')) interruption.abort();
    };
    await expect(it.integrate({ signal: interruption.signal, progress })).rejects.toThrow('abort');
    expect([it.state('a'), it.tip()]).toEqual(['verified', it.base]);
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
  },
  SLOW,
);

test(
  'a conflict is tried again when the tip has moved, a culprit when it is named',
  async () => {
    const it = await shop();
    it.verified('a', { 'shared.txt': 'ONE\ntwo\nthree\n' });
    it.verified('b', { 'shared.txt': 'uno\ntwo\nthree\n' });
    const first = await it.integrate();
    expect(first.conflicts.map(({ lane }) => lane)).toEqual(['b']);
    it.verified('back', { 'shared.txt': 'one\ntwo\nthree\n' }, { from: first.tip });
    await it.integrate({ lanes: ['back'] });
    const again = await it.integrate();
    expect(again.integrated.map(({ lane }) => lane)).toEqual(['b']);
  },
  SLOW,
);

test(
  'says of which features the tip is not verified',
  async () => {
    const features = { pay: { files: ['pay/**'], smoke: ['true'] } };
    const it = await shop({ files: { 'lanehold.json': JSON.stringify({ features }) } });
    it.verified('a', { 'pay/a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report.features).toEqual({ known: true, held: ['pay'], verified: [] });
  },
  SLOW,
);

test(
  'validations find what lanes find: the setup, included files, ports',
  async () => {
    const lanes = { setup: 'mkdir -p deps && cp lock.txt deps/', setupCache: ['lock.txt'] };
    const it = await shop({
      files: {
        'lanehold.json': JSON.stringify({ lanes }),
        'lock.txt': 'locked\n',
        '.gitignore': 'deps\n.env\n',
        '.worktreeinclude': '.env\n',
        'found.sh': 'test -f deps/lock.txt && test -f .env && test "$LANEHOLD_PORT_0" -gt 0\n',
      },
      validate: 'sh found.sh',
    });
    it.box.write(join(it.repo, '.env'), 'KEY=1\n');
    it.verified('a', { 'a.txt': 'a\n' }, { ports: 1 });
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
  },
  SLOW,
);

test(
  'a setup that fails blames nobody',
  async () => {
    const lanes = { setup: 'exit 7' };
    const it = await shop({ files: { 'lanehold.json': JSON.stringify({ lanes }) } });
    it.verified('a', { 'a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report).toMatchObject({ integrated: [], culprits: [] });
    expect(report.stopped).toBe('the setup command ended with exit code 7');
    expect(it.state('a')).toBe('verified');
  },
  SLOW,
);

test(
  'what somebody took out of the tip comes in again',
  async () => {
    const it = await shop();
    it.verified('a', { 'a.txt': 'a\n' });
    const { tip } = await it.integrate();
    it.git('update-ref', it.run.integrationRef, it.base);
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
    expect(report.tip).toBe(tip);
  },
  SLOW,
);

test(
  'a lane that is at work again still has its proof: what came in stays in',
  async () => {
    const it = await shop({ files: { 'own.sh': 'test ! -e forbidden.txt\n' } });
    it.verified('strict', { 'strict.txt': 'x\n' }, { validate: 'sh own.sh' });
    await it.integrate();
    it.commitLane('strict', { 'strict.txt': 'y\n' });
    it.verified('loose', { 'forbidden.txt': 'x\n' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([{ lane: 'loose', command: 'sh own.sh' }]);
  },
  SLOW,
);

test(
  'a conflict is not looked at again while the tip stays where it is',
  async () => {
    const it = await shop();
    it.verified('a', { 'shared.txt': 'ONE\ntwo\nthree\n' });
    it.verified('b', { 'shared.txt': 'uno\ntwo\nthree\n' });
    await it.integrate();
    const events = it.events().length;
    expect(await it.integrate()).toMatchObject({ conflicts: [], integrated: [] });
    expect(it.events()).toHaveLength(events);
  },
  SLOW,
);
