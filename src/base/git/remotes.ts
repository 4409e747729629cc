/** Finds the remote of a command, and the known part of what it has. */
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { Git } from './git.ts';
import { type Refs, refsAsTheyAre } from './refs.ts';

/** The name of the remote that was given by name or by address, or that git would choose. */
export function remoteName(refs: Refs, given: string | undefined): string {
  if (given === undefined) return defaultRemote(refs);
  if (refs.setting(`remote.${given}.url`).length > 0) return given;
  // An address may belong to a remote that is known by name.
  const meant = refs.destinationOf(given, 'push');
  const isAt = (name: string) =>
    (['push', 'fetch'] as const).some((use) => addressesOf(refs, name, use).includes(meant));
  return refs.remotes.find(isAt) ?? given;
}

/** The named remote, or the one that git would choose. @throws {UsageError} if there is none of that name. */
export async function remoteMeant(git: Git, named: string | undefined): Promise<string> {
  const refs = await refsAsTheyAre(git, []);
  const name = named ?? defaultRemote(refs);
  if (refs.remotes.includes(name)) return name;
  const meant = nearest(name, refs.remotes);
  throw new UsageError(`there is no remote \`${name}\``, {
    hint: meant === undefined ? 'name one of `git remote`' : `did you mean \`${meant}\`?`,
  });
}

function defaultRemote(refs: Refs): string {
  const branch = refs.currentBranch;
  const ofBranch = (name: string) => refs.setting(`branch.${branch}.${name}`).at(-1);
  const chosen =
    ofBranch('pushremote') ?? refs.setting('remote.pushdefault').at(-1) ?? ofBranch('remote');
  const [only, ...others] = refs.remotes;
  return chosen ?? (only !== undefined && others.length === 0 ? only : 'origin');
}

/** The addresses of a remote in their shortest spelling. A remote may itself be an address. */
export function addressesOf(refs: Refs, remote: string, use: 'fetch' | 'push'): string[] {
  const own = use === 'push' ? refs.setting(`remote.${remote}.pushurl`) : [];
  // `pushInsteadOf` does not apply to addresses that are only for pushes.
  if (own.length > 0) return own.map((it) => refs.destinationOf(it, 'fetch'));
  const urls = refs.setting(`remote.${remote}.url`);
  return (urls.length > 0 ? urls : [remote]).map((it) => refs.destinationOf(it, use));
}

/** The commit of the remote's ref, from the remote-tracking ref that the fetch refspecs name. */
export function trackingOid(refs: Refs, remote: string, destination: string): string | undefined {
  const name = trackingRef(refs, remote, destination);
  return name === undefined ? undefined : refs.oids.get(name);
}

/** Full name of the remote-tracking ref for a ref of the remote; `undefined` if there is none. */
export function trackingRef(refs: Refs, remote: string, destination: string): string | undefined {
  const refspecs = refs.setting(`remote.${remote}.fetch`).map((it) => it.replace(/^\+/, ''));
  const isExcluded = refspecs.some((it) => mapped(`^${destination}`, it, it) !== undefined);
  if (isExcluded) return undefined;
  for (const refspec of refspecs) {
    const [source = '', target = ''] = refspec.split(':');
    const name = mapped(destination, source, target);
    if (name !== undefined && refs.oids.has(name)) return name;
  }
  return undefined;
}

/** The name that a refspec gives to a ref; `undefined` if its source does not match. */
export function mapped(name: string, source: string, target: string): string | undefined {
  const [before = '', after] = source.split('*');
  if (after === undefined) return name === source ? target : undefined;
  if (!(name.startsWith(before) && name.endsWith(after))) return undefined;
  return target.replace('*', () => name.slice(before.length, name.length - after.length));
}

export function trackingRefs(refs: Refs, remote: string): string[] {
  const refspecs = refs.setting(`remote.${remote}.fetch`);
  const targets = refspecs.flatMap((it) => it.split(':')[1] ?? []);
  const patterns = targets.length > 0 ? targets : [`refs/remotes/${remote}/*`];
  // A mirror fetches into the branches of this repository, whose commits nobody else has.
  return [...refs.oids.keys()].filter(
    (name) =>
      !/^refs\/(?:heads|tags)\//.test(name) &&
      patterns.some((it) => mapped(name, it, it) !== undefined),
  );
}

/** Whether remote-tracking refs of the remote do not count, because their origin is unknown. */
export const isDoubted = (refs: Refs, remote: string): boolean =>
  trackingRefs({ ...refs, oids: refs.unknown }, remote).some(
    (it) => refs.oids.get(it) !== refs.unknown.get(it),
  );

/** The commits of all branches of a remote, as far as they are known. */
export const tipsOf = (refs: Refs, remote: string): string[] =>
  trackingRefs(refs, remote).flatMap((it) => refs.oids.get(it) ?? []);

/** The commits of all branches of the repository that it is a fork of. */
export function upstreamTips(refs: Refs, remote: string): string[] {
  const main = mainRemote(refs);
  const isFork = main !== undefined && main !== remote && isForkOf(refs, remote, main);
  return isFork ? tipsOf(refs, main) : [];
}

/**
 * The remote that all work reaches in the end: for a fork, the one that it was forked from. A program can make a
 * repository on this machine and call it `upstream`, so that name counts only elsewhere.
 */
export function mainRemote(refs: Refs): string | undefined {
  const usual = [...(isHere(refs, 'upstream') ? [] : ['upstream']), 'origin', ...refs.remotes];
  const known = usual.filter((it) => refs.remotes.includes(it));
  const mayBeMarked = (it: string) => !isHere(refs, it) || isHere(refs, 'origin');
  return (
    refs.remotes.find((it) => isMarked(refs, it) && mayBeMarked(it)) ??
    known.find((it) => refs.defaultBranches.has(it)) ??
    known[0]
  );
}

const isHere = (refs: Refs, remote: string): boolean =>
  addressesOf(refs, remote, 'fetch').some((it) => it.startsWith('/'));

/** The command line of GitHub records the remote of pull requests. */
const isMarked = (refs: Refs, remote: string): boolean =>
  refs.setting(`remote.${remote}.gh-resolved`).includes('base');

function isForkOf(refs: Refs, remote: string, main: string): boolean {
  if (isHere(refs, main)) return isMarked(refs, main) && isHere(refs, remote);
  if (main === 'upstream' || isMarked(refs, main)) return true;
  const [own = ''] = addressesOf(refs, remote, 'push');
  const [theirs = ''] = addressesOf(refs, main, 'fetch');
  return withoutOwner(own) === withoutOwner(theirs);
}

/** `host/OWNER/name` */
const withoutOwner = (address: string): string => address.replace(/^(.+\/)[^/]+\/([^/]+)$/, '$1$2');
