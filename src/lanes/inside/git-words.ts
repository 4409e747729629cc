/** The words of a git subcommand, taken apart as far as the rules for workers need it. Pure. */

/** `undefined` where only running the command would tell. */
export type Word = string | undefined;

export interface GitUse {
  readonly options: readonly string[];
  readonly operands: readonly Word[];
  /** What follows `--`; `undefined` if there is none. */
  readonly paths: readonly Word[] | undefined;
  /**
   * One of the options is given: `-b`, also among others behind one dash, or `--branch`, also
   * shortened as git allows it.
   */
  has(...names: readonly string[]): boolean;
}

/** @param valued options whose value is the next word. */
export function gitUse(words: readonly Word[], valued = ''): GitUse {
  const withValue = new Set(valued.split(' '));
  const options: string[] = [];
  const operands: Word[] = [];
  let paths: readonly Word[] | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === '--') {
      paths = words.slice(at + 1);
      break;
    }
    if (word === undefined || !word.startsWith('-') || word === '-') operands.push(word);
    else {
      options.push(word);
      if (withValue.has(word) || withValue.has(`-${word.at(-1)}`)) at += takesNext(word) ? 1 : 0;
    }
  }
  return { options, operands, paths, has: (...names) => names.some((it) => isAmong(it, options)) };
}

/** `-b`, and `-fb` whose last letter takes the value; not `--long`, which was compared whole. */
function takesNext(word: string): boolean {
  return word.startsWith('--') ? !word.includes('=') : true;
}

function isAmong(name: string, options: readonly string[]): boolean {
  return options.some((option) => {
    if (option === name) return true;
    if (name.startsWith('--')) return isShortened(option.split('=', 1)[0] ?? '', name);
    return /^-[^-]/.test(option) && name.length === 2 && option.includes(name.slice(1));
  });
}

function isShortened(option: string, name: string): boolean {
  return option === name || (option.length >= 4 && name.startsWith(option));
}
