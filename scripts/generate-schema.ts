/** Writes `schema/lanehold.schema.json`, which editors use, from the schema that validates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toJSONSchema } from 'zod/mini';
import { registryFileSchema, SCHEMA_URL } from '../src/base/config/schema.ts';

export const SCHEMA_FILE = join(import.meta.dirname, '../schema/lanehold.schema.json');

export function schemaText(): string {
  const { $schema, ...shape } = toJSONSchema(registryFileSchema, { io: 'input' });
  const schema = { $schema, $id: SCHEMA_URL, title: 'lanehold.json', ...shape };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

if (import.meta.main) {
  mkdirSync(dirname(SCHEMA_FILE), { recursive: true });
  writeFileSync(SCHEMA_FILE, schemaText());
}
