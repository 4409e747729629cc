/** Removes lanehold's hooks and leaves everything else in the file as it is now. */
import { rmSync } from 'node:fs';
import type { InstallFile } from '../agents/install.ts';
import { ExplainedError, explained } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { deleteFile, readText, targetOf, writeTarget } from '../base/files/user-files.ts';
import { sha256 } from '../base/text/sha256.ts';
import { bareText } from './apply.ts';
import {
  backupFile,
  changeManifest,
  exclusively,
  type Installation,
  installManifest,
  isSameRow,
  sharersOf,
} from './manifest.ts';

export interface Removal {
  readonly file: string;
  /**
   * `restored`: byte for byte as before; `deleted`: there was no file before; `cleaned`: lanehold's
   * entries are removed, later changes stay; `absent`: the file had no entries of lanehold; `kept`:
   * other agents share them; `failed`: everything is as it was.
   */
  readonly state: 'restored' | 'deleted' | 'cleaned' | 'absent' | 'kept' | 'failed';
  readonly error?: ExplainedError;
}

export type MeantFile = Pick<Installation, 'agent' | 'file' | 'what'>;

export interface RemoveRequest {
  readonly home: Home;
  /** The row of a file, recorded or not; `undefined` if this version knows no such file. */
  readonly rowOf: (file: MeantFile & Partial<Installation>) => InstallFile | undefined;
  /** Files to check beside the recorded ones. */
  readonly files: readonly MeantFile[];
  /** True for the recorded installations that are to be undone. */
  readonly isMeant: (installation: Installation) => boolean;
}

/** @param dryRun the result says what would happen to each file, and nothing is written. */
export async function uninstall(request: RemoveRequest, dryRun: boolean): Promise<Removal[]> {
  const { home } = request;
  const work = (): Removal[] => {
    let recorded = installManifest(home).installations;
    return eachOf(request, (meant) => {
      if (!dryRun) recorded = installManifest(home).installations;
      const draft = draftOf(request, meant, recorded);
      if (dryRun) recorded = recorded.filter((it) => it !== draft.record);
      else removeOne(home, draft);
      return { file: draft.file, state: draft.state };
    });
  };
  return dryRun ? work() : exclusively(home, work);
}

type Meant = MeantFile & { readonly target: string };

/** Does the work for each file; a failure with one does not stop the others. */
function eachOf(request: RemoveRequest, work: (meant: Meant) => Removal): Removal[] {
  const removals = meantFiles(request).map((meant): Removal => {
    try {
      return work(meant);
    } catch (error) {
      return { file: meant.file, state: 'failed', error: explained(error) };
    }
  });
  // Shared entries stay until the last of their agents is removed; a file may have several entries.
  return removals.filter(
    ({ file, state }, at) =>
      (state !== 'kept' && state !== 'restored') ||
      !removals.some((it, later) => later > at && it.file === file && it.state !== 'absent'),
  );
}

interface Draft extends Removal {
  readonly target: string;
  readonly record: Installation | undefined;
  readonly current: string | undefined;
  /** The new text; `undefined` if the file is deleted. */
  readonly bare: string | undefined;
}

/** The files, later installations first: a file that two agents share then ends as it was before the first of them. */
function meantFiles({ home, files, isMeant }: RemoveRequest) {
  const recorded = installManifest(home).installations;
  const meant = [
    ...files.map((it) => ({ ...it, target: targetOf(it.file) })),
    ...recorded.filter(isMeant),
  ];
  const unique = new Map(meant.map((it) => [`${it.agent}\n${it.what}\n${it.target}`, it]));
  const age = (it: MeantFile & { target: string }): number => recorded.findIndex(isSameRow(it));
  return [...unique.values()].sort((one, other) => age(other) - age(one));
}

function draftOf(
  { home, rowOf }: RemoveRequest,
  meant: Meant,
  recorded: readonly Installation[],
): Draft {
  const { file, target } = meant;
  const record = recorded.find(isSameRow(meant));
  const current = readText(target);
  const fixed = { file, target, record, current };
  if (current === undefined) return { ...fixed, bare: undefined, state: 'absent' };
  const row = rowOf({ ...meant, ...record });
  if (row === undefined) throw unknownFile(meant);
  if (row.shared && sharersOf(meant, recorded).length > 0) {
    return { ...fixed, bare: current, state: record ? 'kept' : 'absent' };
  }
  const bare = bareText(home, row.editor, { file, current, record });
  if (bare === current) return { ...fixed, bare, state: 'absent' };
  // The installation made the file, and only braces are left.
  if (bare === undefined || (record?.before === null && isEmpty(bare))) {
    return { ...fixed, bare: undefined, state: 'deleted' };
  }
  const restored = sha256(bare) === record?.before?.digest;
  return { ...fixed, bare, state: restored ? 'restored' : 'cleaned' };
}

function unknownFile({ agent, file, what }: MeantFile): ExplainedError {
  return new ExplainedError(`the ${what} in ${file} are for \`${agent}\`, and not known here`, {
    hint: 'uninstall them with the version of lanehold that installed them',
  });
}

function isEmpty(text: string): boolean {
  return /^\s*(?:\{\s*\})?\s*$/.test(text);
}

/** The record is removed last, so that the next run can finish what this one did not. */
function removeOne(home: Home, draft: Draft): void {
  const { target, record, current, bare, state } = draft;
  // The folders of a file that is gone may be left.
  const isGone = state === 'deleted' || current === undefined;
  if (isGone) deleteFile(target, record?.madeFolders ?? []);
  else if (state !== 'absent' && state !== 'kept' && bare !== undefined) writeTarget(target, bare);
  if (!record) return;
  const isThis = isSameRow(record);
  const left = installManifest(home).installations.filter((it) => !isThis(it));
  changeManifest(home, { installations: left.map((it) => inherited(it, record, draft)) });
  const isBackupNeeded =
    state === 'cleaned' || left.some(({ before }) => before?.backup === record.before?.backup);
  if (record.before && !isBackupNeeded) {
    rmSync(backupFile(home, record.before.backup), { force: true });
  }
}

/** The record of another agent with entries in the same file, or a folder made for it: it can still be undone. */
function inherited(
  other: Installation,
  gone: Installation,
  { current, bare }: Draft,
): Installation {
  const folders = gone.madeFolders.filter(
    (it) => other.target.startsWith(`${it}/`) && !other.madeFolders.includes(it),
  );
  const shared = { ...other, madeFolders: [...folders, ...other.madeFolders] };
  if (other.target !== gone.target || other.before?.digest !== gone.after) return shared;
  const isUntouched = current !== undefined && sha256(current) === other.after;
  const after = isUntouched && bare !== undefined ? sha256(bare) : other.after;
  return { ...shared, before: gone.before, after };
}
