/**
 * The settings that an attempt began with, beside it: the same for whoever takes it over, and a file
 * of the user's that is broken for a moment ends nobody's work. Whoever begins it has read them
 * anyway; a supervisor that finds them here does not load what reads and checks settings.
 */
import { join } from 'node:path';
import { writeJsonFile } from '../files/json-file.ts';
import { readPlainFile } from '../files/plain-file.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import type { LaneSettings } from './workers/settings.ts';

/** @param dir of the attempt, made if it is not there. */
export function writeAttemptSettings(dir: string, settings: LaneSettings): void {
  const { workers, opposite } = settings;
  makePrivateFolder(dir);
  writeJsonFile(fileIn(dir), { ...settings, workers: [...workers], opposite: [...opposite] });
}

/** `undefined` if none were kept, or they were cut short. */
export function readAttemptSettings(dir: string): LaneSettings | undefined {
  const text = readPlainFile(fileIn(dir));
  if (text === undefined) return undefined;
  try {
    const { workers, opposite, ...rest } = JSON.parse(text);
    return { ...rest, workers: new Map(workers), opposite: new Map(opposite) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

const fileIn = (dir: string): string => join(dir, 'settings.json');
