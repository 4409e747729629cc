/**
 * What the supervisor of an attempt works by: read once, and the same for all that take over. A file
 * of the user's that is broken for a moment ends nobody's work.
 */
import { join } from 'node:path';
import { writeJsonFile } from '../../process/json-file.ts';
import { readPlainFile } from '../../process/plain-file.ts';
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
  let settings = keptIn(file);
  if (settings === undefined) {
    settings = await settingsFor(it.world, it.run().repository);
    writeJsonFile(file, JSON.parse(JSON.stringify(settings, withoutMaps)));
  }
  return { settings, worker: agent === null ? undefined : findWorker(agent, settings) };
}

/** A worker may write there: what is no settings of ours is read anew from where they belong. */
function keptIn(file: string): LaneSettings | undefined {
  const text = readPlainFile(file);
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text, withMaps) as Partial<LaneSettings> | null;
    const whole = kept?.workers instanceof Map && kept.slots !== undefined;
    return whole ? (kept as LaneSettings) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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
  const rows = { run: it.run(), lane: it.lane(), attempt };
  if (readPlainFile(file) !== JSON.stringify(rows)) writeJsonFile(file, rows);
}
