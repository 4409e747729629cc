/** The record of installations, by which each can be undone byte for byte. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ExplainedError } from '../errors.ts';
import type { Home } from '../store/home.ts';
import { readText, writeTarget } from './files.ts';

const installation = z.object({
  agent: z.string(),
  scope: z.enum(['user', 'project']),
  /** The path that the agent uses, and where it leads: they differ if it is a link. */
  file: z.string(),
  target: z.string(),
  installedAt: z.string(),
  /** Version of lanehold. */
  version: z.string(),
  /** The file without our entries; `null` if there was none. `backup` is the name of the copy. */
  before: z.nullable(z.object({ digest: z.string(), backup: z.string() })),
  /** Digest of what was written. */
  after: z.string(),
  /** Folders that had to be made, outermost first. */
  madeFolders: z.array(z.string()),
});

const manifest = z.object({
  version: z.literal(1),
  installations: z.array(installation),
  /** Hooks folders of repositories that have our git hook; absolute. */
  gitHooks: z._default(z.array(z.string()), []),
});

export type Installation = Readonly<z.infer<typeof installation>>;

class ManifestError extends ExplainedError {
  override readonly code = 'MANIFEST';
}

/** @throws {ManifestError} if the file was damaged. */
export function readManifest(home: Home): readonly Installation[] {
  return read(home).installations;
}

/** @throws {ManifestError} if the file was damaged. */
export function readGitHooks(home: Home): readonly string[] {
  return read(home).gitHooks;
}

function read(home: Home): z.infer<typeof manifest> {
  const text = readText(home.manifest);
  if (text === undefined) return { version: 1, installations: [], gitHooks: [] };
  try {
    return manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new ManifestError(`${home.manifest} is damaged`, {
      hint: 'move it away: `lanehold uninstall` then takes out the entries it finds, nothing else',
      cause,
    });
  }
}

export function writeManifest(home: Home, installations: readonly Installation[]): void {
  write(home, installations, readGitHooks(home));
}

export function writeGitHooks(home: Home, folders: readonly string[]): void {
  write(home, readManifest(home), folders);
}

function write(home: Home, installations: readonly Installation[], folders: readonly string[]) {
  const gitHooks = folders.length === 0 ? {} : { gitHooks: folders };
  const content = { version: 1, installations, ...gitHooks };
  writeTarget(home.manifest, `${JSON.stringify(content, null, 2)}\n`);
}

export function backupFile(home: Home, name: string): string {
  return join(home.backups, name);
}
