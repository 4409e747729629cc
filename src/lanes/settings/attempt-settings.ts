/**
 * The settings with which an attempt began, saved in its folder. A supervisor that takes over uses the same ones, and a
 * settings file that is broken for a moment does not end the attempt. Reading this copy also saves the supervisor from
 * loading the code for settings.
 */
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { writeJsonFile } from '../../base/files/json-file.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import type { LaneSettings } from './settings.ts';

export function writeAttemptSettings(dir: string, settings: LaneSettings): void {
  const { workers, opposite } = settings;
  makePrivateFolder(dir);
  writeJsonFile(fileIn(dir), { ...settings, workers: [...workers], opposite: [...opposite] });
}

/** The saved settings; `undefined` if there are none, or the file is incomplete. */
export function readAttemptSettings(dir: string): LaneSettings | undefined {
  const text = readPlainFile(fileIn(dir));
  if (text === undefined) return undefined;
  return attempt(() => {
    const { workers, opposite, ...rest } = JSON.parse(text);
    return { ...rest, workers: new Map(workers), opposite: new Map(opposite) };
  });
}

const fileIn = (dir: string): string => join(dir, 'settings.json');
