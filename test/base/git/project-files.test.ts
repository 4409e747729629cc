import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderTree } from '../../../src/base/git/project-files.ts';

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
