/**
 * What a push would send, worked out from its arguments and the repository without asking the
 * remote: which commits leave, and what each is compared with.
 */
import { isDeletion, refspecSides, subcommandGrammar } from '../../base/git/command-line.ts';
import type { Git } from '../../base/git/git.ts';
import type { Refs } from '../../base/git/refs.ts';
import { mapped, remoteName, trackingOid } from '../../base/git/remotes.ts';
import { isNamed, readUse, type UsedOption, type Word } from '../../base/text/options.ts';
import { CannotTellError } from '../errors.ts';

interface PushArguments {
  /** Name, URL or path of the remote; `undefined` if git chooses it. */
  readonly remote: string | undefined;
  readonly refspecs: readonly string[];
  /** Options that send refs besides, or instead of, the refspecs. */
  readonly sets: ReadonlySet<'branches' | 'tags' | 'mirror'>;
  /** The refspecs name refs to delete at the remote. */
  readonly deletes: boolean;
  /** `--recurse-submodules`, as given: `no` turns it off. */
  readonly submodules: string | undefined;
  /** A word or an option is unknown, so what is sent is unknown too. */
  readonly unknown: boolean;
}

const GRAMMAR = subcommandGrammar('push');

/** @param words the words after `push`, or `send-pack`. */
export function parsePushArguments(words: readonly Word[]): PushArguments {
  const use = readUse(words, 0, GRAMMAR);
  const { operands, options } = use;
  const given = lastGiven(options);
  const [remote = use.value('--repo'), ...refspecs] = operands;
  const known = refspecs.filter((it) => it !== undefined);
  const sets = (['branches', 'tags', 'mirror'] as const).filter((set) => given.has(`--${set}`));
  return {
    remote,
    refspecs: joinTagPairs(known),
    sets: new Set(given.has('--all') ? [...sets, 'branches' as const] : sets),
    deletes: given.has('--delete') || given.has('-d'),
    submodules: given.has('--no-recurse-submodules') ? 'no' : use.value('--recurse-submodules'),
    unknown:
      given.has('--stdin') ||
      operands.includes(undefined) ||
      options.some(({ name }) => !isNamed(name, GRAMMAR)),
  };
}

/** The options in force: `--delete --no-delete` deletes nothing, because the last one decides. */
function lastGiven(options: readonly UsedOption<Word>[]): ReadonlySet<string> {
  const given = new Set<string>();
  for (const { name } of options) {
    given.add(name);
    given.delete(name.startsWith('--no-') ? `--${name.slice(5)}` : `--no-${name.slice(2)}`);
    if (name === '--no-delete') given.delete('-d');
  }
  return given;
}

/** `tag v1` is an old way to say `refs/tags/v1:refs/tags/v1`. */
function joinTagPairs(refspecs: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < refspecs.length; at += 1) {
    const name = refspecs[at + 1];
    if (refspecs[at] === 'tag' && name !== undefined) {
      joined.push(`refs/tags/${name}:refs/tags/${name}`);
      at += 1;
    } else {
      joined.push(refspecs[at] as string);
    }
  }
  return joined;
}

export interface PushUpdate {
  readonly oid: string;
  /** Full name of the local ref, or what was written in its place. */
  readonly source: string;
  /** Full name of the ref at the remote. */
  readonly destination: string;
  /** The commit of that ref as this repository knows it; `undefined` for a new ref. */
  readonly tracked: string | undefined;
}

/**
 * The remote and the updates that a push sends; deletions send nothing. The remote is its name, or
 * the address given in its place.
 *
 * @param namesHead the same command creates a branch or a tag at HEAD first.
 * @throws {CannotTellError} if what is sent cannot be known.
 */
export async function planPush(git: Git, refs: Refs, given: PushArguments, namesHead: boolean) {
  if (given.unknown) {
    throw new CannotTellError(
      'which refs the push sends is not in the command',
      'write the remote and the branch out: `git push origin my-branch`',
    );
  }
  if (await takesSubmodules(git, refs, given)) {
    throw new CannotTellError(
      'submodules would leave along, which are projects of their own',
      'push each from its own folder, then this with `--recurse-submodules=check`',
      'place',
    );
  }
  const remote = remoteName(refs, given.remote);
  const pairs = given.deletes ? [] : wanted(refs, remote, given);
  const updates: PushUpdate[] = [];
  for (const { source, destination } of pairs) {
    const oid = await commitOf(git, refs, source, namesHead);
    updates.push({ oid, source, destination, tracked: trackingOid(refs, remote, destination) });
  }
  if (namesHead && given.sets.size > 0 && refs.head !== undefined) {
    const destination = 'refs/tags/HEAD';
    updates.push({ oid: refs.head, source: 'HEAD', destination, tracked: undefined });
  }
  return { remote, updates };
}

/** @see https://git-scm.com/docs/git-config#Documentation/git-config.txt-submodulerecurse */
async function takesSubmodules(git: Git, refs: Refs, given: PushArguments): Promise<boolean> {
  const byDefault = refs.setting('submodule.recurse').at(-1) === 'true' ? 'on-demand' : 'no';
  const mode = given.submodules ?? refs.setting('push.recursesubmodules').at(-1) ?? byDefault;
  if (mode !== 'on-demand' && mode !== 'only') return false;
  return (await git.maybe(['config', '--get-regexp', '^submodule\\..*\\.url$'])) !== undefined;
}

type Pair = Pick<PushUpdate, 'source' | 'destination'>;

function wanted(refs: Refs, remote: string, given: PushArguments): Pair[] {
  const mirror = refs.setting(`remote.${remote}.mirror`).at(-1) === 'true';
  const pairs: Pair[] = [];
  if (given.sets.has('mirror') || (mirror && given.refspecs.length === 0)) {
    pairs.push(...sameNames(refs, ''));
  }
  if (given.sets.has('branches')) pairs.push(...sameNames(refs, 'refs/heads/'));
  if (given.sets.has('tags')) pairs.push(...sameNames(refs, 'refs/tags/'));
  if (given.refspecs.length > 0) {
    pairs.push(...expandAll(refs, remote, given.refspecs));
  } else if (pairs.length === 0 || [...given.sets].join() === 'tags') {
    pairs.push(...byDefault(refs, remote));
  }
  return pairs;
}

function sameNames(refs: Refs, prefix: string): Pair[] {
  const names = [...refs.oids.keys()].filter((name) => name.startsWith(prefix));
  return names.map((name) => ({ source: name, destination: name }));
}

/** @see https://git-scm.com/docs/git-config#Documentation/git-config.txt-pushdefault */
function byDefault(refs: Refs, remote: string): Pair[] {
  const configured = refs.setting(`remote.${remote}.push`);
  if (configured.length > 0) return expandAll(refs, remote, configured);
  const mode = refs.setting('push.default').at(-1) ?? 'simple';
  if (mode === 'nothing') return [];
  if (mode === 'matching') return expand(refs, remote, ':');
  const branch = refs.currentBranch;
  if (branch === undefined) return [{ source: 'HEAD', destination: 'refs/heads/HEAD' }];
  const upstream = refs.setting(`branch.${branch}.merge`).at(-1);
  const follows = mode === 'upstream' || mode === 'tracking';
  const destination = follows && upstream !== undefined ? upstream : `refs/heads/${branch}`;
  return [{ source: `refs/heads/${branch}`, destination }];
}

/** The refs that the refspecs send; a negative one takes away from what the others send. */
function expandAll(refs: Refs, remote: string, refspecs: readonly string[]): Pair[] {
  const excluded = refspecs.filter((it) => it.startsWith('^')).map((it) => it.slice(1));
  return refspecs
    .flatMap((refspec) => expand(refs, remote, refspec))
    .filter(({ source }) => excluded.every((it) => mapped(source, it, it) === undefined));
}

/** The refs that one refspec sends, without its `+`; a deletion (`:branch`) sends nothing. */
function expand(refs: Refs, remote: string, refspec: string): Pair[] {
  const { source, target } = refspecSides(refspec);
  if (source === '' && target === '') {
    return sameNames(refs, 'refs/heads/').filter(
      ({ destination }) => trackingOid(refs, remote, destination) !== undefined,
    );
  }
  if (refspec.startsWith('^') || isDeletion(refspec)) return [];
  if (source.includes('*')) {
    return [...refs.oids.keys()].flatMap((name) => {
      const destination = mapped(name, source, target ?? source);
      return destination === undefined ? [] : [{ source: name, destination }];
    });
  }
  const full = fullName(refs, source);
  return [{ source: full, destination: destinationOf(refs, full, target) }];
}

function fullName(refs: Refs, source: string): string {
  if (source === '@') return 'HEAD';
  const candidates = [source, `refs/${source}`, `refs/tags/${source}`, `refs/heads/${source}`];
  return candidates.find((name) => refs.oids.has(name)) ?? source;
}

function destinationOf(refs: Refs, source: string, target: string | undefined): string {
  if (target?.startsWith('refs/')) return target;
  if (target !== undefined) {
    return source.startsWith('refs/tags/') ? `refs/tags/${target}` : `refs/heads/${target}`;
  }
  if (source === 'HEAD') return `refs/heads/${refs.currentBranch ?? 'HEAD'}`;
  return source;
}

async function commitOf(git: Git, refs: Refs, source: string, namesHead: boolean): Promise<string> {
  const branch = source.startsWith('refs/heads/') ? refs.oids.get(source) : undefined;
  if (branch !== undefined) return branch;
  // After `:/`, a text of a commit message continues to the end.
  const object = source.startsWith(':/') ? source : `${source}^{commit}`;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', object];
  const oid = await git.maybe(args, [1, 128]);
  if (oid !== undefined) return oid.trim();
  if (namesHead && refs.head !== undefined) return refs.head;
  throw new CannotTellError(
    `the push names \`${source}\`, which is no commit in this repository`,
    'make it first, then push it in a command of its own',
  );
}
