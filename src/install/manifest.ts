/** The record of installations, with which each can be undone byte for byte. */

import { join } from 'node:path';
import * as z from 'zod/mini';
import { ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { readText, writeTarget } from '../base/files/user-files.ts';
import { withLock } from '../base/process/with-lock.ts';

const installation = z.object({
  agent: z.string(),
  scope: z.enum(['user', 'project']),
  /** The path that the agent uses, and its target: they differ if it is a link. */
  file: z.string(),
  target: z.string(),
  /** Distinguishes the files of an agent. */
  what: z.string(),
  installedAt: z.string(),
  version: z.string(),
  /** The file without lanehold's entries; `null` if there was none. `backup` is the name of the copy. */
  before: z.nullable(z.object({ digest: z.string(), backup: z.string() })),
  /** The digest of the written text. */
  after: z.string(),
  /** Folders that had to be made, outermost first. */
  madeFolders: z.array(z.string()),
  /** The folder in which a project was installed. */
  folder: z.optional(z.string()),
  runtime: z.object({ node: z.string(), hook: z.string() }),
});

const manifest = z.object({
  version: z.literal(1),
  installations: z.array(installation),
  /** Hooks folders of repositories that have lanehold's git hook; absolute. */
  gitHooks: z._default(z.array(z.string()), []),
  /** The ids of the clones with those folders, since another clone may be made at the same path. */
  gitHookClones: z.optional(z.array(z.object({ folder: z.string(), clone: z.string() }))),
  /** Hooks folders from which a user has removed the hook. */
  removedGitHooks: z._default(z.array(z.string()), []),
  /** The part of `gitHooks` that got the hook because of `gitHold`, when a session started there. */
  sessionGitHooks: z.optional(z.array(z.string())),
  /** How git holds pushes for the user: by one entry in its configuration, or in each clone. */
  gitHold: z.optional(z.enum(['configuration', 'clones'])),
});
type Manifest = z.infer<typeof manifest>;

export type Installation = Readonly<z.infer<typeof installation>>;

/** Compares all three fields, because an agent may have several entries in one file. */
export function isSameRow(one: Pick<Installation, 'agent' | 'target' | 'what'>) {
  return (it: Installation): boolean =>
    it.agent === one.agent && it.target === one.target && it.what === one.what;
}

/** The records of other agents about a file that they share. */
export function sharersOf(
  { agent, target }: Pick<Installation, 'agent' | 'target'>,
  all: readonly Installation[],
): readonly Installation[] {
  return all.filter((it) => it.target === target && it.agent !== agent);
}

class ManifestError extends ExplainedError {
  override readonly code = 'MANIFEST';
}

/** @throws {ManifestError} if the file was damaged. */
export function installManifest(home: Home): Manifest {
  const text = readText(home.manifest);
  if (text === undefined) {
    return { version: 1, installations: [], gitHooks: [], removedGitHooks: [] };
  }
  try {
    return manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new ManifestError(`${home.manifest} is damaged`, {
      hint: 'move it away: `lanehold uninstall` then takes out the entries it finds, nothing else',
      cause,
    });
  }
}

/** Changes the record, without empty fields. Callers hold the lock. */
export function changeManifest(home: Home, changed: Partial<Manifest>): void {
  const { gitHooks, removedGitHooks, ...rest } = { ...installManifest(home), ...changed };
  const clones = rest.gitHookClones?.filter((it) => gitHooks.includes(it.folder));
  const content = {
    ...rest,
    gitHookClones: clones?.length ? clones : undefined,
    ...(gitHooks.length === 0 ? {} : { gitHooks }),
    ...(removedGitHooks.length === 0 ? {} : { removedGitHooks }),
  };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (text !== readText(home.manifest)) writeTarget(home.manifest, text);
}

/** Changes the folder of installations after a move. Callers hold the lock. */
export function moveInstallations(home: Home, from: string, to: string): void {
  const moved = JSON.stringify(installManifest(home), (_, it: unknown) =>
    typeof it === 'string' && `${it}/`.startsWith(`${from}/`) ? to + it.slice(from.length) : it,
  );
  changeManifest(home, JSON.parse(moved));
}

export function backupFile(home: Home, name: string): string {
  return join(home.backups, name);
}

const PATIENCE = { waitMs: 30_000, what: 'another lanehold that installs or uninstalls' };

export async function exclusively<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  return withLock(join(privateFolder(home.root), 'install.lock'), PATIENCE, work);
}
