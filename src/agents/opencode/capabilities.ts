/**
 * What the client lets a plugin do, and its names of tools. `plugin.ts` runs inside of the client and
 * starts the hook program; what it sends and takes is of our own making.
 */
import { type Capabilities, USUAL } from '../definition.ts';

export const SHELL_TOOL = 'bash';
/** Tools that write one file, named by `filePath`. */
export const EDIT_TOOLS: readonly string[] = ['edit', 'write', 'multiedit'];
/** A model of OpenAI is given them in place of the others. */
export const PATCH_TOOLS: readonly string[] = ['apply_patch', 'patch'];
export const TASK_TOOL = 'todowrite';

/** Tools of the client that change nothing: the hook program is not asked about them. */
export const READING_TOOLS: readonly string[] = [
  'codesearch',
  'glob',
  'grep',
  'invalid',
  'list',
  'lsp',
  'plan_enter',
  'plan_exit',
  'question',
  'read',
  'skill',
  'task',
  'todoread',
  'webfetch',
  'websearch',
];

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  takesContext: ['session-start', 'prompt-submit', 'before-tool', 'after-tool'],
  rewritesInput: ['before-tool'],
  shellTime: { defaultMs: 120_000, variable: 'OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS' },
  // The plugin refuses what may be a release if the hook program fails or takes too long.
  blocksAfter: [],
  cannotSee: ['a command that the user types after `!`'],
  knownFrom: 'real client',
};
