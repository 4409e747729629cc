/** What stands in the hooks folder of a repository, and whether it holds a push. */
import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';
import { PREVIOUS_HOOK_SUFFIX } from '../text/git-hook.ts';
import { explainAccess } from './files.ts';
import { gitHookText, HOOK_NAME, isGitHook, madeFoldersIn, runtimeIn } from './git-hook-text.ts';
import type { HookFolder } from './hook-folder.ts';
import { type HookManager, hookManager } from './hook-manager.ts';
import type { Runtime } from './hook-shim.ts';

/** A file of a hooks folder: gone, ours, or somebody else's. */
export type Entry =
  | { readonly kind: 'none' }
  | { readonly kind: 'ours'; readonly text: string }
  | {
      readonly kind: 'other';
      readonly text: string;
      readonly manager: HookManager | undefined;
    };

export interface Seats {
  /** The one that git starts. */
  readonly hook: Entry;
  readonly kept: Entry;
  /** Where pre-commit moves a hook that it finds, and starts it from. */
  readonly legacy: Entry;
  /** Where lefthook moves a hook that it finds, and leaves it. */
  readonly old: Entry;
}

export const SEATS = {
  hook: HOOK_NAME,
  kept: `${HOOK_NAME}${PREVIOUS_HOOK_SUFFIX}`,
  legacy: `${HOOK_NAME}.legacy`,
  old: `${HOOK_NAME}.old`,
} as const satisfies Record<keyof Seats, string>;

/** @throws {FileAccessError} if the folder cannot be read. */
export function seatsIn(folder: string): Seats {
  const at = (seat: keyof Seats) => entryAt(join(folder, SEATS[seat]));
  return { hook: at('hook'), kept: at('kept'), legacy: at('legacy'), old: at('old') };
}

function entryAt(file: string): Entry {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return { kind: 'none' };
    // A link that leads nowhere is somebody's, too.
    const text = statSync(file, { throwIfNoEntry: false })?.isFile()
      ? readFileSync(file, 'utf8')
      : '';
    if (isGitHook(text)) return { kind: 'ours', text };
    return { kind: 'other', text, manager: hookManager(text) };
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return { kind: 'none' };
    throw explainAccess(`cannot read ${file}`, error);
  }
}

/** The seat that our hook is started from, if it is. */
export function ownSeat({ hook, legacy }: Seats): 'hook' | 'legacy' | undefined {
  if (hook.kind === 'ours') return 'hook';
  const runsLegacy = hook.kind === 'other' && hook.manager === 'pre-commit';
  return runsLegacy && legacy.kind === 'ours' ? 'legacy' : undefined;
}

export interface GitHookLook {
  /**
   * `installed`: pushes are held. `broken`: the hook is there and cannot do its work. `replaced`: it
   * was there, and something has been put in its place. `passed-over`: it is in a folder that git no
   * longer looks at. `absent`: it was never there, as far as can be seen.
   */
  readonly state: 'installed' | 'broken' | 'replaced' | 'passed-over' | 'absent';
  /** Absolute path of the hook, or of where it would be. */
  readonly file: string;
  readonly setting: HookFolder['setting'];
  /** What is wrong, as a clause; or, where nothing is, what is worth knowing. */
  readonly remark: string | undefined;
  /** Whose hook runs before it, or stands in its place. */
  readonly other: HookManager | 'other' | undefined;
}

/** @param runtime what an installation would start now. */
export function lookAtGitHook(place: HookFolder, runtime: Runtime): GitHookLook {
  const { folder, setting, ownFolder } = place;
  const seats = seatsIn(folder);
  const seat = ownSeat(seats);
  const file = join(folder, SEATS[seat ?? 'hook']);
  const shared = { file, setting };
  if (seat !== undefined) {
    const other = nameOf(seat === 'legacy' ? seats.hook : seats.kept);
    const problem = problemOf(file, seats[seat]);
    if (problem !== undefined) return { ...shared, state: 'broken', remark: problem, other };
    return { ...shared, state: 'installed', remark: remarkOn(seats[seat], runtime), other };
  }
  const other = nameOf(seats.hook);
  if (seats.kept.kind !== 'none' || seats.old.kind === 'ours' || seats.legacy.kind === 'ours') {
    const remark =
      other === undefined ? 'it was deleted' : `${ownerOf(other)} was put in its place`;
    return { ...shared, state: 'replaced', remark, other };
  }
  if (ownFolder !== folder && seatsIn(ownFolder).hook.kind === 'ours') {
    const remark = `it is in ${ownFolder}, but git looks in ${folder} (core.hooksPath)`;
    return { ...shared, state: 'passed-over', remark, other };
  }
  return { ...shared, state: 'absent', remark: undefined, other };
}

export function ownerOf(other: HookManager | 'other'): string {
  return other === 'other' ? 'another hook' : `the hook of ${other}`;
}

function nameOf(entry: Entry): GitHookLook['other'] {
  return entry.kind === 'other' ? (entry.manager ?? 'other') : undefined;
}

function problemOf(file: string, entry: Entry): string | undefined {
  if (!isExecutable(file)) return 'it may not be executed, so git passes over it';
  const { node, hook } = runtimeIn(entry.kind === 'ours' ? entry.text : '');
  if (!isExecutable(node)) return `the Node that it starts is gone: ${node}`;
  if (!statSync(hook, { throwIfNoEntry: false })?.isFile()) {
    return `the program that it starts is gone: ${hook}`;
  }
  return undefined;
}

function remarkOn(entry: Entry, runtime: Runtime): string | undefined {
  const text = entry.kind === 'ours' ? entry.text : '';
  if (text === gitHookText(runtime, madeFoldersIn(text))) return undefined;
  const { hook } = runtimeIn(text);
  if (hook !== runtime.hook) return `it starts another copy of lanehold: ${hook}`;
  return 'it is of another version, or was installed with another Node';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
