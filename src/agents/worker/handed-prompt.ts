/**
 * The prompt for agents that take theirs only as an argument. Arguments can be read by every user of
 * the machine and hold 128 KiB, so all that these agents are told is where a copy of it lies.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { LaunchFile, WorkerRequest } from './worker.ts';

export interface HandedPrompt {
  /** The argument. */
  readonly words: string;
  /** Holds nothing but the copy: what may be read without opening the attempt's own files. */
  readonly folder: string;
  readonly file: LaunchFile;
}

export function handedPrompt({ dir, promptFile }: WorkerRequest): HandedPrompt {
  const folder = join(dir, 'task');
  makePrivateFolder(folder);
  const path = join(folder, 'prompt.md');
  const words = `Read the whole file ${JSON.stringify(path)}, to its last line, and do the work that it describes.`;
  return { words, folder, file: { path, content: readFileSync(promptFile, 'utf8') } };
}
