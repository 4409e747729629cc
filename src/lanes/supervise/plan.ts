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
  const settings = await keptSettings(it);
  const { agent } = it.attempt();
  return { settings, worker: agent === null ? undefined : findWorker(agent, settings) };
}

async function keptSettings(it: Supervision): Promise<LaneSettings> {
  const file = join(it.attempt().dir, 'settings.json');
  const kept = settingsIn(readPlainFile(file));
  if (kept !== undefined) return kept;
  const settings = await settingsFor(it.world, it.run().repository);
  const { workers, opposite } = settings;
  writeJsonFile(file, { ...settings, workers: [...workers], opposite: [...opposite] });
  return settings;
}

/** `undefined` for a file that is not there, or was cut short. */
function settingsIn(text: string | undefined): LaneSettings | undefined {
  if (text === undefined) return undefined;
  try {
    const { workers, opposite, ...rest } = JSON.parse(text);
    return { ...rest, workers: new Map(workers), opposite: new Map(opposite) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What a lost database can be built from again: the rows as they are. */
export function writeSpec(it: Supervision): void {
  const attempt = it.attempt();
  const file = join(attempt.dir, 'spec.json');
  const rows = { run: it.run(), lane: it.lane(), attempt };
  if (readPlainFile(file) !== JSON.stringify(rows)) writeJsonFile(file, rows);
}
