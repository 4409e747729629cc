/**
 * What the supervisor of an attempt works by: read once, and the same for all that take over. A file
 * of the user's that is broken for a moment ends nobody's work.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFor } from '../settings-for.ts';
import { findWorker, type Worker } from '../workers/registry.ts';
import type { LaneSettings } from '../workers/settings.ts';
import type { Supervision } from './supervision.ts';

export interface Plan {
  readonly settings: LaneSettings;
  /** `undefined`: nothing but a validation. */
  readonly worker: Worker | undefined;
}

export async function planOf(it: Supervision): Promise<Plan> {
  const { agent, dir } = it.attempt();
  const file = join(dir, 'settings.json');
  const kept = readIfThere(file);
  const settings =
    kept === undefined
      ? await settingsFor(it.world, it.run().repository)
      : (JSON.parse(kept, withMaps) as LaneSettings);
  if (kept === undefined) writeWhole(file, JSON.stringify(settings, withoutMaps));
  return { settings, worker: agent === null ? undefined : findWorker(agent, settings) };
}

const MAP = 'map of';

function withoutMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { [MAP]: [...value] } : value;
}

function withMaps(_: string, value: unknown): unknown {
  const entries = value instanceof Object && MAP in value ? value[MAP] : undefined;
  return Array.isArray(entries) ? new Map(entries) : value;
}

/** What a lost database can be built from again: the rows as they are. */
export function writeSpec(it: Supervision): void {
  const attempt = it.attempt();
  const file = join(attempt.dir, 'spec.json');
  const text = JSON.stringify({ run: it.run(), lane: it.lane(), attempt });
  if (readIfThere(file) === text) return;
  writeWhole(file, text);
}

function writeWhole(file: string, text: string): void {
  const next = `${file}.${process.pid}.tmp`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, file);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
