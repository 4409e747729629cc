import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCHEMA_FILE, schemaText } from '../../../scripts/generate-schema.ts';

test('the committed JSON Schema is what `npm run generate` writes', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText());
});
