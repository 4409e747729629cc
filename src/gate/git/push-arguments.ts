/** The command line of `git push`, as far as it says what is sent where. Pure. */
import type { Word } from '../../recognise/finding.ts';

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
  /** A word is not known, so that neither is what is sent. */
  readonly unknown: boolean;
}

/** Long options of git-push(1) and git-send-pack(1); git takes each by any unique beginning. */
const OPTIONS = [
  'all',
  'atomic',
  'branches',
  'delete',
  'dry-run',
  'exec',
  'follow-tags',
  'force',
  'force-if-includes',
  'force-with-lease',
  'ipv4',
  'ipv6',
  'mirror',
  'porcelain',
  'progress',
  'prune',
  'push-option',
  'quiet',
  'receive-pack',
  'recurse-submodules',
  'remote',
  'repo',
  'set-upstream',
  'signed',
  'stdin',
  'tags',
  'thin',
  'verbose',
  'verify',
] as const;

/** Options whose value is the next word, if no `=` brings it. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  'exec',
  'push-option',
  'receive-pack',
  'recurse-submodules',
  'remote',
  'repo',
]);

/** @param words what follows `push`. */
export function parsePushArguments(words: readonly Word[]): PushArguments {
  const { operands, options, values } = sortWords(words);
  const [remote = values.get('repo'), ...refspecs] = operands;
  const known = refspecs.filter((it) => it !== undefined);
  const sets = (['branches', 'tags', 'mirror'] as const).filter((set) => options.has(set));
  return {
    remote,
    refspecs: joinTagPairs(known).map((it) => (it.startsWith('+') ? it.slice(1) : it)),
    sets: new Set(options.has('all') ? [...sets, 'branches' as const] : sets),
    deletes: options.has('delete'),
    submodules: options.has('no-recurse-submodules') ? 'no' : values.get('recurse-submodules'),
    unknown: options.has('') || options.has('stdin') || operands.includes(undefined),
  };
}

interface Sorted {
  readonly operands: readonly Word[];
  /** Names; `''` stands for one that git does not have. */
  readonly options: ReadonlySet<string>;
  /** The last value of each option that has one. */
  readonly values: ReadonlyMap<string, Word>;
}

function sortWords(words: readonly Word[]): Sorted {
  const operands: Word[] = [];
  const named: string[] = [];
  const values = new Map<string, Word>();
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--') break;
    if (word === undefined || !word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const { names, value, takesNext } = readOption(word);
    const found = takesNext ? rest.shift() : value;
    for (const name of names) values.set(name, found);
    named.push(...(names.length === 0 ? [''] : names));
  }
  return { operands: [...operands, ...rest], options: inForce(named), values };
}

/** `--delete --no-delete` deletes nothing: the last one decides. */
function inForce(named: readonly string[]): ReadonlySet<string> {
  const options = new Set<string>();
  for (const name of named) {
    options.add(name);
    options.delete(name.startsWith('no-') ? name.slice('no-'.length) : `no-${name}`);
  }
  return options;
}

function readOption(word: string): {
  names: readonly string[];
  value?: string;
  takesNext: boolean;
} {
  if (!word.startsWith('--')) return readCluster(word);
  const [given = '', ...rest] = word.slice(2).split('=');
  if (given.startsWith('no-')) {
    const undone = optionsCalled(given.slice('no-'.length));
    return { names: undone.map((name) => `no-${name}`), takesNext: false };
  }
  const names = optionsCalled(given);
  if (rest.length > 0) return { names, value: rest.join('='), takesNext: false };
  return { names, takesNext: names.some((name) => WITH_VALUE.has(name)) };
}

function optionsCalled(given: string): readonly string[] {
  const exact = OPTIONS.find((option) => option === given);
  return exact === undefined ? OPTIONS.filter((option) => option.startsWith(given)) : [exact];
}

const SHORT: Readonly<Record<string, string>> = { d: 'delete', o: 'push-option' };

/** `-fu`, `-d`, `-o ci.skip`, `-oci.skip`. */
function readCluster(word: string): { names: readonly string[]; takesNext: boolean } {
  const letters = [...word.slice(1)];
  const valueAt = letters.indexOf('o');
  const flags = valueAt === -1 ? letters : letters.slice(0, valueAt + 1);
  return {
    names: flags.map((letter) => SHORT[letter] ?? letter),
    takesNext: valueAt !== -1 && valueAt === letters.length - 1,
  };
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
