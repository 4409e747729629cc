import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderTree, projectPaths } from '../../../src/base/git/project-files.ts';

const BUSY = `
const fs = require('node:fs');
console.log('started');
for (;;) {
  for (let n = 0; n < 50; n += 1) fs.writeFileSync('made-' + n, 'x');
  for (let n = 0; n < 50; n += 1) fs.rmSync('made-' + n);
}`;

let busy: ChildProcess | undefined;
afterEach(() => busy?.kill('SIGKILL'));

test('files that come and go while a folder is read are left out, and the others are there', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lanehold-files-'));
  try {
    writeFileSync(join(root, 'kept.txt'), 'kept');
    busy = spawn(process.execPath, ['-e', BUSY], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(busy.stdout as NodeJS.ReadableStream, 'data');
    for (let look = 0; look < 200; look += 1) {
      const paths = (await folderTree(root, [''])).map(({ path }) => path);
      expect(paths).toContain('kept.txt');
    }
  } finally {
    busy?.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('a folder that may not be read is left out of a list of files, but not of what a digest is made of', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lanehold-files-'));
  const place = { root, kind: 'folder', identity: root, gitDir: '' } as const;
  const isRoot = process.getuid?.() === 0;
  try {
    mkdirSync(join(root, 'database/data'), { recursive: true });
    writeFileSync(join(root, 'kept.txt'), 'kept');
    chmodSync(root, 0o755);
    chmodSync(join(root, 'database/data'), 0o000);
    // To the root user all may be read.
    if (isRoot) process.seteuid?.(65_534);
    expect(await projectPaths(undefined, place)).toEqual(['kept.txt']);
    await expect(folderTree(root, [''])).rejects.toThrow('EACCES');
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(root, 'database/data'), 0o700);
    rmSync(root, { recursive: true, force: true });
  }
});
