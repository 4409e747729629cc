/** Payloads that were recorded from an agent, or printed in its documentation. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/text/json.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/agents/payloads');

export interface RecordedPayloads {
  /** Names of the files without `.json`. */
  readonly names: readonly string[];
  read(name: string): JsonObject;
}

export function recordedPayloads(agent: string): RecordedPayloads {
  const folder = join(FOLDER, agent);
  return {
    names: readdirSync(folder).map((it) => it.replace(/\.json$/, '')),
    read: (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')),
  };
}

/** As a newer version may send it: fields that nobody knows yet, in every object. */
export function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([key, it]) => [key, withUnknownFields(it)]);
  return { ...Object.fromEntries(known), newInThisVersion: { deep: [1, null, 'x'] } };
}
