/**
 * Writes to what is known of a remote. Its remote-tracking refs say what others have, and what
 * leaves is compared with them, so only an exchange with the remote may change them.
 */
import { configUse, refspecSides } from '../../base/git/command-line.ts';
import type { Use } from '../../base/text/options.ts';
import type { Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';

const BELOW = /^\+?(?:refs\/)?remotes\//;

/** The ref or setting that a use of each subcommand writes; `undefined` if none of a remote. */
const WRITES: Readonly<Record<string, (use: Use) => string | undefined>> = {
  'update-ref': (use) =>
    use.has('--stdin') ? 'refs that are not in the command' : use.operands.find(isBelow),
  'symbolic-ref': (use) =>
    use.operands.length > 1 || use.has('-d', '--delete') ? use.operands.find(isBelow) : undefined,
  fetch: foreignRefspec,
  pull: foreignRefspec,
  // This is a push to this very repository.
  push: ({ operands: [remote, ...refspecs] }) =>
    remote === '.' ? refspecs.find((it) => isBelow(targetOf(it))) : undefined,
  remote: ({ operands: [verb, name, branch] }) =>
    verb === 'set-head' && branch !== undefined ? `refs/remotes/${name}/HEAD` : undefined,
  config: foreignFetchSetting,
};

export function noteRemoteRefs(subcommand: string, use: Use, frame: Frame): void {
  const writes = Object.hasOwn(WRITES, subcommand) ? WRITES[subcommand] : undefined;
  const where = writes?.(use);
  if (where === undefined) return;
  const what = 'change what is known of a remote, with which what leaves is compared';
  const argv = ['git', subcommand, ...use.argv];
  frame.reader.tampering(what, isKnown(where) ? where : 'a ref', argv, frame, 'repository');
}

function isBelow(name: string): boolean {
  return BELOW.test(name);
}

function targetOf(refspec: string): string {
  const { source, target = source } = refspecSides(refspec);
  return target;
}

/** A refspec that puts into a remote-tracking ref what is not the branch of that name at that remote. */
function foreignRefspec({ operands: [remote = '', ...refspecs] }: Use): string | undefined {
  const below = refspecs.filter((it) => it.includes(':') && isBelow(targetOf(it)));
  return below.find((it) => !isOwnRefspec(it, remote));
}

function isOwnRefspec(refspec: string, remote: string): boolean {
  const { source, target = '' } = refspecSides(refspec);
  const branch = source.replace(/^(?:refs\/)?heads\//, '');
  return target.replace(/^refs\//, '') === `remotes/${remote}/${branch}`;
}

/** `remote.<name>.fetch` with another value than the usual one. */
function foreignFetchSetting(use: Use): string | undefined {
  const { kind, key = '' } = configUse(use);
  const [, remote] = /^remote\.(.+)\.fetch$/i.exec(key) ?? [];
  if (kind !== 'set' || remote === undefined) return undefined;
  const value = use.operands[use.operands.indexOf(key) + 1] ?? '';
  return isOwnRefspec(value, remote) ? undefined : key;
}
