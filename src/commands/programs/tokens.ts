/** The tokens of a program in a scripting language: its strings as it would see them, its names and its marks. */
import { unescaped } from '../shell/print.ts';
import { UNKNOWN } from '../shell/unknown.ts';

export interface Token {
  readonly kind: 'string' | 'name' | 'mark';
  readonly text: string;
  /** A string that runs: in back quotes, or as `qx{…}`. */
  readonly executes?: boolean;
}

/** What of a language decides where its strings begin. */
export interface Quoting {
  /** An expression for its comments. */
  readonly comments?: string;
  /** Strings in back quotes run, and there are quoting forms such as `qw(…)`. */
  readonly executesQuotes?: boolean;
}

const QUOTE_FORM =
  /(?<![\w$@%])(?<form>q[qwx]?|%[xwqQW])\s*(?:\((?<round>[^)]*)\)?|\{(?<curly>[^}]*)\}?|\[(?<square>[^\]]*)\]?|(?<mark>[/!|])(?<plain>.*?)\k<mark>)/;
/** A string that is not closed extends to the end of the text. */
const STRING =
  /(?<prefix>(?<!\w)[rRbBuUfF]{1,2}(?=["']))?(?<quote>"""|'''|["'`])(?<body>(?:\\.|(?!\k<quote>)[^\\])*)(?:\k<quote>|\\?$)/;
/** As text, because classes of all letters take long to compile. */
const NAME = '(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*)';

const MOST_TOKENS = 20_000;

export function tokenize(
  text: string,
  { comments, executesQuotes = false }: Quoting,
): readonly Token[] {
  const parts = [executesQuotes ? QUOTE_FORM.source : '', STRING.source, NAME];
  const comment = comments === undefined ? '' : `(?<comment>${comments})`;
  const pattern = [comment, ...parts, '\\n|\\S'].filter(Boolean).join('|');
  const matches = text.matchAll(new RegExp(pattern, 'gsu')).take(MOST_TOKENS);
  return [...matches].flatMap((match): readonly Token[] => {
    const groups: Partial<Record<string, string>> = match.groups ?? {};
    const { form, quote, body = '', prefix = '', name } = groups;
    if (groups.comment !== undefined) return [];
    if (form !== undefined) return quoteForm(form, groups);
    if (name !== undefined) return [{ kind: 'name', text: name }];
    if (quote === undefined) return [{ kind: 'mark', text: match[0] }];
    const plain = /r/i.test(prefix) ? body : unescaped(body.replaceAll('\\\n', ''));
    if (executesQuotes && quote === '`') {
      return [{ kind: 'string', text: withoutValues(plain), executes: true }];
    }
    return interpolated(plain, /f/i.test(prefix));
  });
}

/** A name in a string stands for its value: `f"git {x}"` reads like `"git " + x`. */
function interpolated(text: string, isFormatted: boolean): readonly Token[] {
  const names = isFormatted
    ? /\{([A-Za-z_]\w*)\}/
    : /(?:[#$]\{|\$(?=[A-Za-z_]\w*))([A-Za-z_]\w*)\}?/;
  return text.split(names).flatMap((part, at, all): readonly Token[] => {
    if (at % 2 === 1) return [JOINS, { kind: 'name', text: part }];
    const token = { kind: 'string', text: withoutValues(part, isFormatted) } as const;
    if (at === 0) return [token];
    return part === '' && at === all.length - 1 ? [] : [JOINS, token];
  });
}

/** `qx{git push}`, `%x(git push)`, `qw(git push)`. */
function quoteForm(form: string, groups: Partial<Record<string, string>>): readonly Token[] {
  const { round, curly, square, plain = '' } = groups;
  const text = withoutValues(round ?? curly ?? square ?? plain);
  if (!/w$/i.test(form)) return [{ kind: 'string', text, executes: form.endsWith('x') }];
  const items = text.trim().split(/(?<!\\)\s+/);
  const list = items.map((it) => ({ kind: 'string', text: it.replaceAll('\\ ', ' ') }) as const);
  return [mark('['), ...list.flatMap((it) => [it, mark(',')]), mark(']')];
}

export const mark = (text: string): Token => ({ kind: 'mark', text });
const JOINS = mark('+');

/** Values inside a string are unknown: `f"{x}"`, `` `${x}` ``, `"#{x}"`, `"$x"`, `"%s"`. */
function withoutValues(text: string, isFormatted = false): string {
  const values = isFormatted ? /\{[^{}]*\}/g : /[#$]\{[^}]*\}|\{\w*\}|\$[A-Za-z_]\w*|%[sdr]\b/g;
  return text.replace(values, UNKNOWN);
}
