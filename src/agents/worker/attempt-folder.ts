/** What a worker finds in the folder of its attempt. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { LaunchFile, WorkerRequest } from './worker.ts';

/**
 * Where a worker leaves its reports if its sandbox keeps it from the store: the only folder outside
 * of its worktree that it may write.
 *
 * @param dir the attempt's folder.
 */
export const inboxOf = (dir: string): string => join(dir, 'inbox');

export interface PromptCopy {
  /** The argument that sends the agent to the copy. */
  readonly words: string;
  /**
   * Contains only the copy, so that reading it can be allowed without the attempt's other files.
   */
  readonly folder: string;
  readonly file: LaunchFile;
}

/**
 * A copy of the prompt for agents that take a prompt only as an argument. Every user of the machine
 * can read arguments, and they are limited to 128 KiB, so the argument only names the copy.
 */
export function promptCopy({ dir, promptFile }: WorkerRequest): PromptCopy {
  const folder = join(dir, 'task');
  makePrivateFolder(folder);
  const path = join(folder, 'prompt.md');
  const words = `Read the whole file ${JSON.stringify(path)}, to its last line, and do the work that it describes.`;
  return { words, folder, file: { path, content: readFileSync(promptFile, 'utf8') } };
}
