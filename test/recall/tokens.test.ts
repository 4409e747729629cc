/** The estimate of tokens against counts of a real tokenizer: o200k of gpt-tokenizer 4.0.0. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokensOf } from '../../src/recall/tokens.ts';

const COUNTED: readonly { name: string; text: string; tokens: number }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/tokens.json'), 'utf8'),
);

test.each(COUNTED)('$name: within 15 %', ({ text, tokens }) => {
  expect(Math.abs(tokensOf(text) / tokens - 1)).toBeLessThan(0.15);
});
