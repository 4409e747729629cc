import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive } from '../../../src/base/process/process-entry.ts';
import { runNode } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { SLOW, words } from './words.ts';

describe('C6: integration queue that never touches the user’s checkout', () => {
  test(
    'SIGKILL at each step leaves the old tip or the new one, and the next integration finishes',
    async () => {
      const child = join(import.meta.dirname, 'killed-integrator.ts');
      const tips: string[] = [];
      for (let step = 1, killed = true; killed; step += 1) {
        const it = await words();
        it.verified('a', { 'a.txt': 'a\n' });
        it.verified('b', { 'b.txt': 'b\n' });
        const ran = await runNode(child, [it.run.id, String(step)], {
          cwd: it.repo,
          env: it.context.env,
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
        // A validation that passed before the kill is reused.
        expect(it.runs()).toBeLessThanOrEqual(2);
        if (proved) expect(it.tip()).toBe(tip);
      }
      expect(tips.length).toBeGreaterThan(4);
      expect(new Set(tips)).toEqual(new Set(['old', 'new']));
    },
    SLOW,
  );

  test(
    'processes of a killed integrator are ended before its tree is used again',
    async () => {
      const it = await words({
        validate:
          'if mkdir "$CHECKS.once" 2>/dev/null; then echo $$ > "$CHECKS.pid"; sleep 600; fi',
      });
      it.verified('a', { 'a.txt': 'a\n' });
      const script = join(import.meta.dirname, 'killed-integrator.ts');
      const { cwd, env } = { cwd: it.repo, env: it.context.env };
      const child = spawn(process.execPath, [script, it.run.id], { cwd, env, stdio: 'ignore' });
      const pid = await until('the validation', () => {
        const file = `${env.CHECKS}.pid`;
        return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined;
      });
      const left = identityOf(pid);
      onTestFinished(() => {
        // It leads its own process group.
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
  'a validation that cannot run makes no lane a culprit',
  async () => {
    const it = await words({ validate: 'kill -9 $$' });
    it.verified('a', { 'a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report).toMatchObject({ integrated: [], culprits: [], tip: it.base });
    expect(report.stopped).toContain('could not be run');
    expect(it.state('a')).toBe('verified');
  },
  SLOW,
);

test(
  'an interrupted integration leaves the lanes verified',
  async () => {
    const it = await words();
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
  'a failed setup makes no lane a culprit',
  async () => {
    const lanes = { setup: 'exit 7' };
    const it = await words({ files: { 'lanehold.json': JSON.stringify({ lanes }) } });
    it.verified('a', { 'a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report).toMatchObject({ integrated: [], culprits: [] });
    expect(report.stopped).toBe('the setup command ended with exit code 7');
    expect(it.state('a')).toBe('verified');
  },
  SLOW,
);

test(
  'a lane that was removed from the tip by hand is integrated again',
  async () => {
    const it = await words();
    it.verified('a', { 'a.txt': 'a\n' });
    const { tip } = await it.integrate();
    it.git('update-ref', it.run.integrationRef, it.base);
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
    expect(report.tip).toBe(tip);
  },
  SLOW,
);
