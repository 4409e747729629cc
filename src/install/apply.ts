/**
 * Puts hooks into an agent's settings: writes the backup, the manifest and the settings, in this
 * order.
 */
import { randomUUID } from 'node:crypto';
import type { FileEditor, InstallFile, Plan } from '../agents/install.ts';
import type { Runtime } from '../agents/kit/hook-shim.ts';
import { ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { readText, targetOf, writeTarget } from '../base/files/user-files.ts';
import { sha256 } from '../base/text/sha256.ts';
import { exclusively } from './lock.ts';
import {
  backupFile,
  changeManifest,
  type Installation,
  installManifest,
  isSameRow,
  sharersOf,
} from './manifest.ts';

export interface InstallRequest
  extends Pick<Installation, 'agent' | 'scope' | 'file' | 'what' | 'version' | 'folder'> {
  readonly home: Home;
  readonly editor: FileEditor;
  readonly shared: InstallFile['shared'] | undefined;
  /** What the hooks start. */
  readonly runtime: Runtime;
  readonly now: Date;
}

export interface Prepared extends Plan {
  /** The text of the file now; `undefined` if there is none. */
  readonly current: string | undefined;
}

/** Says what an installation would write, and writes nothing. */
export function prepareInstall(request: InstallRequest): Prepared {
  return prepare(request).prepared;
}

export interface Installed extends Prepared {
  /** Path of the copy that was kept; `undefined` if there was no file or nothing was written. */
  readonly backup: string | undefined;
}

export function install(request: InstallRequest): Promise<Installed> {
  return exclusively(request.home, () => {
    const { installations } = installManifest(request.home);
    try {
      return installOnce(request);
    } catch (error) {
      // What was not written is not recorded either.
      changeManifest(request.home, { installations });
      throw error;
    }
  });
}

/** @throws {ExplainedError} if the file was changed meanwhile: agents write their settings as well. */
function installOnce(request: InstallRequest): Installed {
  const draft = prepare(request);
  const { prepared, target, record, isRecorded } = draft;
  if (prepared.state === 'current' && isRecorded) return { ...prepared, backup: undefined };

  const before = keepBefore(request, draft);
  recordInstallation(request, draft, before, record?.madeFolders ?? []);
  if (readText(target) !== prepared.current) {
    throw new ExplainedError(`${target} was just changed`, { hint: 'run this again' });
  }
  if (prepared.state !== 'current') {
    const made = writeTarget(target, prepared.text);
    if (made.length > 0) recordInstallation(request, draft, before, made);
  }
  return { ...prepared, backup: before ? backupFile(request.home, before.backup) : undefined };
}

interface Draft {
  readonly prepared: Prepared;
  readonly target: string;
  /** What was recorded of this agent, else of one that shares the file. */
  readonly record: Installation | undefined;
  readonly isRecorded: boolean;
  /** The text without our entries; `undefined` if there would be no file. */
  readonly bare: string | undefined;
}

function prepare({ home, agent, editor, file, what, shared }: InstallRequest): Draft {
  const target = targetOf(file);
  const recorded = installManifest(home).installations;
  const own = recorded.find(isSameRow({ agent, target, what }));
  const record = own ?? (shared ? sharersOf({ agent, target }, recorded)[0] : undefined);
  const current = readText(target);
  const bare = bareText(home, editor, { file, current, record });
  return {
    target,
    record,
    isRecorded: own !== undefined,
    bare,
    prepared: { current, ...editor.plan(file, { current, bare }) },
  };
}

export interface SettingsState {
  readonly file: string;
  readonly current: string | undefined;
  readonly record: Installation | undefined;
}

/** The text without our entries: the original if nothing else was changed since. */
export function bareText(
  home: Home,
  editor: FileEditor,
  { file, current, record }: SettingsState,
): string | undefined {
  if (current === undefined) return undefined;
  const original = originalOf(home, record);
  const untouched = sha256(current) === record?.after;
  if (untouched && original.kind !== 'unknown') return original.text;
  return editor.withoutOurs(file, current, original.text);
}

type Original =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'no file' | 'unknown'; readonly text?: undefined };

function originalOf(home: Home, record: Installation | undefined): Original {
  if (!record) return { kind: 'unknown' };
  if (!record.before) return { kind: 'no file' };
  const text = readText(backupFile(home, record.before.backup));
  const intact = text !== undefined && sha256(text) === record.before.digest;
  return intact ? { kind: 'file', text } : { kind: 'unknown' };
}

function keepBefore({ home, agent, scope, now }: InstallRequest, draft: Draft) {
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
 * The file was there before the first thing of ours, which goes last: what came later is still in the text without
 * that one, so the earlier copy is the one to go back to, if nobody else has written since.
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

/** What the same agent has in the same file. */
const isBeside =
  ({ agent }: Pick<Installation, 'agent'>, target: string) =>
  (it: Installation): boolean =>
    it.agent === agent && it.target === target;

function recordInstallation(
  request: InstallRequest,
  { prepared, target, bare }: Draft,
  before: Installation['before'],
  madeFolders: readonly string[],
): void {
  const { home, agent, scope, file, what, shared, version, now, runtime, folder } = request;
  const isThis = isSameRow({ agent, target, what });
  const recorded = installManifest(home).installations;
  const others = recorded.filter((it) => !isThis(it));
  const sharers = shared ? sharersOf({ agent, target }, others) : [];
  const installation: Installation = {
    agent,
    scope,
    file,
    target,
    what,
    installedAt: now.toISOString(),
    version,
    before,
    after: sha256(prepared.text),
    madeFolders: [...madeFolders],
    ...(folder === undefined ? {} : { folder }),
    runtime: { node: runtime.node, hook: runtime.hook },
  };
  const { after } = installation;
  const present = prepared.current === undefined ? undefined : sha256(prepared.current);
  const updated = recorded.map((it) => {
    if (isThis(it)) return installation;
    if (sharers.includes(it)) return { ...it, after, runtime: installation.runtime };
    // Once this is taken out again, the file is as that one has left it.
    const isLeft = isBeside(installation, target)(it) && it.after === present && bare !== undefined;
    return isLeft ? { ...it, after: sha256(bare) } : it;
  });
  const isNew = !recorded.some(isThis);
  changeManifest(home, { installations: isNew ? [...updated, installation] : updated });
}
