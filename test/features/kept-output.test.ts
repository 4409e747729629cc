import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepRedacted } from '../../src/features/output.ts';
import { sandbox } from '../support/sandbox.ts';

test('of a key that lies across two pieces of a long output nothing is kept', () => {
  const body = Array.from({ length: 30 }, (_, at) => `${at}`.padEnd(64, 'kEy'));
  const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', 'after', ''];
  const file = join(sandbox().root, 'output.log');
  writeFileSync(file, `${`${'.'.repeat(1_023)}\n`.repeat(4_095)}${key.join('\n')}`);
  const { tail } = keepRedacted(file);
  expect(tail).toMatch(/\n\[redacted:private-key\]\nafter\n$/);
  expect(readFileSync(file, 'utf8')).not.toContain('kEykEy');
});
