/** The folder that a call works in. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { attempt, UsageError } from '../../base/errors.ts';
import { printableLine } from '../../base/text/printable.ts';

const ROOTS_TIMEOUT_MS = 5_000;

/**
 * What a client works in: the first folder of its roots, else the one that the server was started in.
 * Asked once, and again when the client says that it has changed.
 */
export function workingFolder(
  server: Server,
  { cwd, isFixed }: { readonly cwd: string; readonly isFixed: boolean },
): () => Promise<string> {
  let asked: Promise<string> | undefined;
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    asked = undefined;
  });
  return () => {
    if (isFixed) return Promise.resolve(cwd);
    asked ??= rootOf(server).then((root) => root ?? cwd);
    return asked;
  };
}

async function rootOf(server: Server): Promise<string | undefined> {
  if (server.getClientCapabilities()?.roots === undefined) return undefined;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS });
    return roots.map(({ uri }) => attempt(() => fileURLToPath(uri))).find(isFolder);
  } catch (error) {
    // A client that does not answer has said nothing.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** @throws {UsageError} if there is no such folder. */
export function folderBelow(base: string, folder: string | undefined): string {
  const found = resolve(base, folder ?? '');
  if (isFolder(found)) return found;
  throw new UsageError(`there is no folder ${printableLine(found, 300)}`, {
    hint: 'correct `cwd`',
  });
}

const isFolder = (path: string | undefined): path is string =>
  path !== undefined &&
  !path.includes('\0') &&
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
