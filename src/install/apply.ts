/** Puts hooks into an agent's settings: writes the backup, the manifest and the settings, in this order. */
import { randomUUID } from 'node:crypto';
import type { FileEditor, InstallFile, Plan } from '../agents/install.ts';
import { ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { readText, targetOf, writeTarget } from '../base/files/user-files.ts';
import { sha256 } from '../base/text/sha256.ts';
import {
  backupFile,
  changeManifest,
  exclusively,
  type Installation,
  installManifest,
  isSameRow,
  sharersOf,
} from './manifest.ts';

/** The agent that hooks are installed for, and the program that they start. */
export interface Installing
  extends Pick<Installation, 'agent' | 'scope' | 'version' | 'folder' | 'runtime'> {
  readonly home: Home;
  readonly now: Date;
}

export interface Installed extends Plan {
  /** The text of the file before; `undefined` if there was none. */
  readonly current: string | undefined;
  /** Path of the copy that was kept; `undefined` if there was no file or nothing was written. */
  readonly backup: string | undefined;
}

/** Says what an installation would write, and writes nothing. */
export const prepareInstall = (by: Installing, row: InstallFile): Installed =>
  prepare(by, row).prepared;

export function install(by: Installing, row: InstallFile): Promise<Installed> {
  return exclusively(by.home, () => {
    const { installations } = installManifest(by.home);
    try {
      return installOnce(by, row);
    } catch (error) {
      // A file that was not written is not recorded either.
      changeManifest(by.home, { installations });
      throw error;
    }
  });
}

/** @throws {ExplainedError} if the file was changed meanwhile: agents write their settings as well. */
function installOnce(by: Installing, row: InstallFile): Installed {
  const draft = prepare(by, row);
  const { prepared, target, record, isRecorded } = draft;
  if (prepared.state === 'current' && isRecorded) return prepared;

  const before = keepBefore(by, draft);
  const recorded = (made: readonly string[]) =>
    recordInstallation(by, row, draft, { before, madeFolders: [...made] });
  recorded(record?.madeFolders ?? []);
  if (readText(target) !== prepared.current) {
    throw new ExplainedError(`${target} was just changed`, { hint: 'run this again' });
  }
  if (prepared.state !== 'current') {
    const made = writeTarget(target, prepared.text);
    if (made.length > 0) recorded(made);
  }
  return { ...prepared, backup: before ? backupFile(by.home, before.backup) : undefined };
}

interface Draft {
  readonly prepared: Installed;
  readonly target: string;
  /** The record of this agent, else of one that shares the file. */
  readonly record: Installation | undefined;
  readonly isRecorded: boolean;
  /** The text without lanehold's entries; `undefined` if the file would be deleted. */
  readonly bare: string | undefined;
}

function prepare({ home, agent }: Installing, { editor, file, what, shared }: InstallFile): Draft {
  const target = targetOf(file);
  const recorded = installManifest(home).installations;
  const own = recorded.find(isSameRow({ agent, target, what }));
  const record = own ?? (shared ? sharersOf({ agent, target }, recorded)[0] : undefined);
  const current = readText(target);
  const bare = bareText(home, editor, { file, current, record });
  const prepared = { current, backup: undefined, ...editor.plan(file, { current, bare }) };
  return { target, record, isRecorded: own !== undefined, bare, prepared };
}

export interface SettingsState {
  readonly file: string;
  readonly current: string | undefined;
  readonly record: Installation | undefined;
}

/** The text without lanehold's entries: the original if nothing else has changed since. */
export function bareText(
  home: Home,
  editor: FileEditor,
  { file, current, record }: SettingsState,
): string | undefined {
  if (current === undefined) return undefined;
  const original = originalOf(home, record);
  if (original && sha256(current) === record?.after) return original.text;
  return editor.withoutOurs(file, current, original?.text);
}

/** The file before the installation, without a text if there was none; `undefined` if it is unknown. */
function originalOf(home: Home, record: Installation | undefined): { text?: string } | undefined {
  if (!record?.before) return record && {};
  const text = readText(backupFile(home, record.before.backup));
  return text !== undefined && sha256(text) === record.before.digest ? { text } : undefined;
}

function keepBefore({ home, agent, scope, now }: Installing, draft: Draft) {
  const { bare, record } = draft;
  if (record !== undefined && isFirstOfSeveral(home, draft, record)) return record.before;
  if (bare === undefined) return null;
  if (record?.before?.digest === sha256(bare)) return record.before;
  const moment = now.toISOString().replaceAll(/[:.]/g, '-');
  const backup = `${moment}-${agent}-${scope}-${randomUUID().slice(0, 8)}.json`;
  privateFolder(home.backups);
  writeTarget(backupFile(home, backup), bare);
  return { digest: sha256(bare), backup };
}

/**
 * True if the file existed before the first of several entries, which is removed last: the later ones are still in the
 * text without it. The earlier copy is then the original, if nothing else has been written since.
 */
function isFirstOfSeveral(
  home: Home,
  { isRecorded, target, prepared: { current } }: Draft,
  record: Installation,
): boolean {
  if (!isRecorded || current === undefined) return false;
  const rows = installManifest(home).installations.filter(isBeside(record, target));
  const [first] = rows;
  const isUntouched = rows.some(({ after }) => after === sha256(current));
  return rows.length > 1 && first?.what === record.what && isUntouched;
}

/** Finds what the same agent has in the same file. */
const isBeside =
  ({ agent }: Pick<Installation, 'agent'>, target: string) =>
  (it: Installation): boolean =>
    it.agent === agent && it.target === target;

function recordInstallation(
  { home, now, runtime, ...by }: Installing,
  { file, what, shared }: InstallFile,
  { prepared, target, bare }: Draft,
  kept: Pick<Installation, 'before' | 'madeFolders'>,
): void {
  const { node, hook } = runtime;
  const after = sha256(prepared.text);
  const installation: Installation = {
    agent: by.agent,
    scope: by.scope,
    file,
    target,
    what,
    installedAt: now.toISOString(),
    version: by.version,
    before: kept.before,
    after,
    madeFolders: kept.madeFolders,
    ...(by.folder === undefined ? {} : { folder: by.folder }),
    runtime: { node, hook },
  };
  const isThis = isSameRow(installation);
  const recorded = installManifest(home).installations;
  const others = recorded.filter((it) => !isThis(it));
  const sharers = shared ? sharersOf(installation, others) : [];
  const present = prepared.current === undefined ? undefined : sha256(prepared.current);
  const updated = recorded.map((it) => {
    if (isThis(it)) return installation;
    if (sharers.includes(it)) return { ...it, after, runtime: installation.runtime };
    // After the removal, the file is as the other entry has left it.
    const isLeft = isBeside(installation, target)(it) && it.after === present && bare !== undefined;
    return isLeft ? { ...it, after: sha256(bare) } : it;
  });
  const isNew = others.length === recorded.length;
  changeManifest(home, { installations: isNew ? [...updated, installation] : updated });
}
