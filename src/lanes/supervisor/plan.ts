/** The settings and the worker that an attempt runs with. */
import { join } from 'node:path';
import { writeJsonFile } from '../../files/json-file.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import { readAttemptSettings, writeAttemptSettings } from '../model/attempt-settings.ts';
import { findWorker, type Worker } from '../workers/registry.ts';
import type { LaneSettings } from '../workers/settings.ts';
import type { Supervision } from './supervision.ts';

export interface Plan {
  readonly settings: LaneSettings;
  /** `undefined` for a validation without a worker. */
  readonly worker: Worker | undefined;
}

export async function planOf(it: Supervision): Promise<Plan> {
  const { agent, dir } = it.attempt();
  let settings = readAttemptSettings(dir);
  if (settings === undefined) {
    const { settingsFor } = await import('../model/settings-for.ts');
    settings = await settingsFor(it.context, it.run());
    writeAttemptSettings(dir, settings);
  }
  return { settings, worker: agent === null ? undefined : findWorker(agent, settings) };
}

/** Saves the rows as they are, to rebuild a lost database from (`rebuild/`). */
export function writeSpec(it: Supervision): void {
  const attempt = it.attempt();
  const file = join(attempt.dir, 'spec.json');
  const rows = { run: it.run(), lane: it.lane(), attempt };
  if (readPlainFile(file) !== JSON.stringify(rows)) writeJsonFile(file, rows);
}
