/** The arguments of `git push`: what is sent to which remote. Pure. */
import { subcommandGrammar } from '../../git/command-line.ts';
import { isNamed, readUse, type UsedOption, type Word } from '../../text/options.ts';

export interface PushArguments {
  /** Name, URL or path of the remote; `undefined` where git chooses it. */
  readonly remote: string | undefined;
  /** As given, a leading `+` taken off. */
  readonly refspecs: readonly string[];
  /** What is sent besides, or instead of, the refspecs. */
  readonly sets: ReadonlySet<'branches' | 'tags' | 'mirror'>;
  /** The refspecs name what is deleted at the remote. */
  readonly deletes: boolean;
  /** `--recurse-submodules`, as given: `no` turns it off. */
  readonly submodules: string | undefined;
  /** A word or an option is unknown, so what is sent is unknown too. */
  readonly unknown: boolean;
}

const GRAMMAR = subcommandGrammar('push');

/** @param words what follows `push`, or `send-pack`. */
export function parsePushArguments(words: readonly Word[]): PushArguments {
  const use = readUse(words, 0, GRAMMAR);
  const { operands, options } = use;
  const given = lastGiven(options);
  const [remote = use.value('--repo'), ...refspecs] = operands;
  const known = refspecs.filter((it) => it !== undefined);
  const sets = (['branches', 'tags', 'mirror'] as const).filter((set) => given.has(`--${set}`));
  return {
    remote,
    refspecs: joinTagPairs(known).map((it) => (it.startsWith('+') ? it.slice(1) : it)),
    sets: new Set(given.has('--all') ? [...sets, 'branches' as const] : sets),
    deletes: given.has('--delete') || given.has('-d'),
    submodules: given.has('--no-recurse-submodules') ? 'no' : use.value('--recurse-submodules'),
    unknown:
      given.has('--stdin') ||
      operands.includes(undefined) ||
      options.some(({ name }) => !isNamed(name, GRAMMAR)),
  };
}

/** `--delete --no-delete` deletes nothing: the last one decides. */
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
