/** What starting a worker takes, for all agents: its files, and what it may run without asking. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definedOnly } from '../../base/environment.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import type { WorkerLaunch, WorkerRequest } from './worker.ts';

/** @param more `env`: variables in addition to those of the request. */
export function launchOf(
  { program, env }: WorkerRequest,
  args: readonly string[],
  more: Partial<WorkerLaunch>,
): WorkerLaunch {
  const all = definedOnly({ ...env, ...more.env });
  return { program, args, stdinFile: undefined, files: [], ...more, env: all };
}

/**
 * The folder in which a worker leaves its reports if its sandbox keeps it from the store: the only
 * folder outside of its worktree that it may write.
 *
 * @param dir the attempt's folder.
 */
export const inboxOf = (dir: string): string => join(dir, 'inbox');

/**
 * A copy of the prompt for agents that take a prompt only as an argument. Every user of the machine
 * can read arguments, and they are limited to 128 KiB, so the argument only names the copy. Its folder has
 * nothing else, so that reading it can be allowed without the attempt's other files.
 */
export function promptCopy({ dir, promptFile }: WorkerRequest) {
  const folder = join(dir, 'task');
  makePrivateFolder(folder);
  const path = join(folder, 'prompt.md');
  const words = `Read the whole file ${JSON.stringify(path)}, to its last line, and do the work that it describes.`;
  return { words, folder, file: { path, content: readFileSync(promptFile, 'utf8') } };
}

/** Read-only commands, for agents that have no list of their own. */
export const READING: readonly string[] = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git ls-files',
  'git blame',
];

/** Options with which these commands write a file or start a program. */
export const NOT_READING: readonly string[] = ['--output', '--ext-diff', '--textconv'];

/** Commands that lanehold checks by its own rules. */
export const REPORTING: readonly string[] = [
  'lanehold orchestrate report',
  'lanehold orchestrate status',
  'lanehold orchestrate logs',
  'lanehold orchestrate ask',
];

/** Matches quoted text, whose last quote may be open, escaped characters, and everything but an operator. */
const COMMAND = /(?:"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|\\(?:[\s\S]|$)|[^"'\\;|&\n])+/g;

/**
 * The commands of a command line, for permission rules that match single commands. Cuts at `&&`,
 * `||`, `;`, `|`, `&` and line ends outside quotes. This is no shell parser: what it does not
 * understand stays in one piece, and a rule that matches nothing allows nothing.
 */
export function simpleCommands(line: string): readonly string[] {
  return (line.match(COMMAND) ?? []).map((it) => it.trim()).filter((it) => it !== '');
}
