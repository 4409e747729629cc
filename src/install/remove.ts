/** Removes our hooks and leaves everything else in the file as it is now. */
import { rmSync } from 'node:fs';
import type { SettingsEditor } from '../agents/install.ts';
import { ExplainedError } from '../errors.ts';
import type { Home } from '../store/home.ts';
import { bareText } from './apply.ts';
import { deleteFile, digest, readText, targetOf, writeTarget } from './files.ts';
import { exclusively } from './lock.ts';
import { backupFile, type Installation, readManifest, writeManifest } from './manifest.ts';

export interface Removal {
  readonly file: string;
  /**
   * `restored`: byte for byte as before; `deleted`: there was no file before; `cleaned`: our
   * entries are removed, later changes stay; `absent`: the file had no entries of ours.
   */
  readonly state: 'restored' | 'deleted' | 'cleaned' | 'absent';
}

export interface RemoveRequest {
  readonly home: Home;
  /** By the name of the agent. */
  readonly editors: ReadonlyMap<string, SettingsEditor>;
  /** Settings files to look into beside those that were recorded. */
  readonly files: readonly { readonly agent: string; readonly file: string }[];
  /** Which of the recorded installations to undo. */
  readonly isMeant: (installation: Installation) => boolean;
}

/** Says what would happen to each file, and writes nothing. */
export function prepareRemoval(request: RemoveRequest): Removal[] {
  return drafts(request).map(({ file, state }) => ({ file, state }));
}

export function uninstall(request: RemoveRequest): Promise<Removal[]> {
  return exclusively(request.home, () =>
    drafts(request).map((draft) => {
      removeOne(request.home, draft);
      return { file: draft.file, state: draft.state };
    }),
  );
}

interface Draft extends Removal {
  readonly target: string;
  readonly record: Installation | undefined;
  /** The new text; `undefined` if the file is deleted. */
  readonly bare: string | undefined;
}

function drafts({ home, editors, files, isMeant }: RemoveRequest): Draft[] {
  const recorded = readManifest(home);
  const meant = recorded.filter(isMeant);
  const targets = new Map([
    ...files.map((it) => [targetOf(it.file), it] as const),
    ...meant.map((it) => [it.target, it] as const),
  ]);
  return [...targets].map(([target, { agent, file }]) => {
    const editor = editors.get(agent);
    if (editor === undefined) throw unknownAgent(agent, file);
    const record = recorded.find((it) => it.target === target);
    return draftOf(home, editor, { file, target, record });
  });
}

function unknownAgent(agent: string, file: string): ExplainedError {
  return new ExplainedError(`the hooks in ${file} are for \`${agent}\`, which is not known here`, {
    hint: 'uninstall them with the version of lanehold that installed them',
  });
}

function draftOf(
  home: Home,
  editor: SettingsEditor,
  fixed: Pick<Draft, 'file' | 'target' | 'record'>,
): Draft {
  const { file, target, record } = fixed;
  const current = readText(target);
  const bare = bareText(home, editor, { file, current, record });
  if (current === undefined || bare === current) return { ...fixed, bare, state: 'absent' };
  // The installation made the file, and only braces are left.
  if (record?.before === null && isEmptyObject(bare)) {
    return { ...fixed, bare: undefined, state: 'deleted' };
  }
  const restored = bare !== undefined && digest(bare) === record?.before?.digest;
  return { ...fixed, bare, state: restored ? 'restored' : 'cleaned' };
}

function isEmptyObject(text: string | undefined): boolean {
  return text === undefined || /^\s*\{\s*\}\s*$/.test(text);
}

/** The record goes last, so that the next run can finish what this one did not. */
function removeOne(home: Home, { target, record, bare, state }: Draft): void {
  if (state === 'deleted') deleteFile(target, record?.madeFolders ?? []);
  else if (state !== 'absent' && bare !== undefined) writeTarget(target, bare);
  if (!record) return;
  writeManifest(
    home,
    readManifest(home).filter((it) => it.target !== target),
  );
  const isBackupNeeded = state === 'cleaned';
  if (record.before && !isBackupNeeded) {
    rmSync(backupFile(home, record.before.backup), { force: true });
  }
}
