import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../support/sandbox.ts';

/** Everything in a checkout that belongs to its user, byte for byte. */
export function checkoutPrint(box: Sandbox, repo: string) {
  const files = readdirSync(repo, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && !it.parentPath.startsWith(join(repo, '.git')))
    .map((it) => join(it.parentPath, it.name))
    .sort();
  return {
    files: files.map((file) => [file, readFileSync(file, 'utf8')]),
    index: readFileSync(join(repo, '.git/index'), 'base64'),
    head: readFileSync(join(repo, '.git/HEAD'), 'utf8'),
    branches: box.git(repo, 'for-each-ref', 'refs/heads', 'refs/stash', 'refs/tags'),
  };
}
