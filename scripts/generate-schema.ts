/** Writes `schema/lanehold.schema.json`, which editors use, from the schema that validates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toJSONSchema } from 'zod/mini';
import { AGENTS, OPPOSITES } from '../src/agents/registry.ts';
import { registryFileSchema, SCHEMA_URL } from '../src/base/config/schema.ts';
import { ADAPTERS } from '../src/lanes/settings/settings.ts';

export const SCHEMA_FILE = join(import.meta.dirname, '../schema/lanehold.schema.json');

export function schemaText(): string {
  const { $schema, ...shape } = toJSONSchema(registryFileSchema, {
    io: 'input',
    // The room of the settings knows no agents.
    override({ jsonSchema, path }) {
      const place = path.join('.');
      if (place.endsWith('.workers.additionalProperties.properties.adapter')) {
        jsonSchema.enum = [...ADAPTERS];
      }
      if (place === 'properties.features.additionalProperties') {
        jsonSchema.oneOf = [{ required: ['files'] }, { required: ['rest'] }];
      }
      if (place.endsWith('.lanes.properties.opposite')) {
        jsonSchema.description = `Who \`opposite\` is for each agent; ${opposites()} are by default each other`;
      }
    },
  });
  const schema = { $schema, $id: SCHEMA_URL, title: 'lanehold.json', ...shape };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Titles of the agents that are each other's opposite. */
function opposites(): string {
  const pair = AGENTS.filter(({ name }) => OPPOSITES[name] !== undefined);
  return pair.map(({ title }) => title).join(' and ');
}

if (import.meta.main) {
  mkdirSync(dirname(SCHEMA_FILE), { recursive: true });
  writeFileSync(SCHEMA_FILE, schemaText());
}
