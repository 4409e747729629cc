import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { withDemoProject } from '../../scripts/demo/demo-project.ts';
import { run } from '../../scripts/demo/run.ts';
import { inTime } from '../support/in-time.ts';

test('a demo project has its own home, a remote, and nothing of the surrounding environment', async () => {
  await withDemoProject('test', async (demo) => {
    const { stdout } = await demo.run('/bin/sh', ['-c', 'pwd; echo "$HOME"; env | wc -l']);
    const [folder, home, variables] = stdout.trim().split('\n');
    expect(folder).toBe(demo.project);
    expect(home).toBe(demo.home);
    expect(Number(variables)).toBeLessThan(16);
    expect(await demo.remoteHead()).toBeUndefined();
    demo.write('a.txt', 'a\n');
    await demo.git('add', '--all');
    await demo.git('commit', '--quiet', '--message', 'Start');
    await demo.git('push', '--quiet', 'origin', 'main');
    expect(await demo.remoteHead()).toBe(await demo.git('rev-parse', 'HEAD'));
  });
});

test('a story that fails leaves nothing behind', async () => {
  let root = '';
  const story = withDemoProject('test', async (demo) => {
    root = demo.root;
    throw new Error('the story failed');
  });
  await expect(story).rejects.toThrow('the story failed');
  expect(existsSync(root)).toBe(false);
});

test('an interrupted story leaves nothing behind and ends by its signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-demo-'));
  try {
    const demo = join(import.meta.dirname, '../../scripts/demo/demo-project.ts');
    const story = `import { withDemoProject } from ${JSON.stringify(demo)};
      await withDemoProject('test', async (demo) => {
        await demo.run('/bin/sh', ['-c', 'echo $$; exec sleep 60'], { onLine: console.log });
      });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', story], {
      env: { PATH: process.env.PATH, TMPDIR: folder },
    });
    const [pid] = await once(createInterface({ input: child.stdout }), 'line');
    expect(readdirSync(folder)).toHaveLength(1);
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual([null, 'SIGTERM']);
    expect(readdirSync(folder)).toEqual([]);
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a program beyond its time is ended with all that it started', async () => {
  const pid = await inTime(async (limitMs) => {
    const lines: string[] = [];
    const { timedOut, code } = await run('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      limitMs,
      onLine: (line) => lines.push(line),
    });
    expect({ timedOut, code }).toEqual({ timedOut: true, code: 128 + 9 });
    return lines.length > 0 && Number(lines[0]);
  });
  await expect.poll(() => isRunning(pid)).toBe(false);
});

/** A process that has ended may stay in the table, as a zombie, until its parent looks. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
    return false;
  }
  const file = `/proc/${pid}/stat`;
  return !(existsSync(file) && /\) Z /.test(readFileSync(file, 'utf8')));
}
