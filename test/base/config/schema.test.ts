import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCHEMA_FILE, schemaText } from '../../../scripts/generate-schema.ts';
import { TABLE_FILES, withSettings } from '../../../scripts/settings-tables.ts';

test('the committed JSON Schema is what `npm run generate` writes', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText());
});

test.each(TABLE_FILES)('the settings in $name are what `npm run generate` writes', (table) => {
  const text = readFileSync(table.file, 'utf8');
  expect(text).toBe(withSettings(table.name, text));
});
