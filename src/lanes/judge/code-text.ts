/** The text of source files without what is no code, so that patterns see code alone. Pure. */

export type Language = 'js' | 'py' | 'go' | 'rs';

const LINE_COMMENT = /\/\/.*/.source;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//.source;
const DOUBLE = /"(?:\\[\s\S]|[^"\\\n])*"/.source;
const SINGLE = /'(?:\\[\s\S]|[^'\\\n])*'/.source;
/** Where a value is expected, a slash begins a pattern. */
const PATTERN =
  /(?<=(?:^|[=(,:;!&|?{}[\n]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/
    .source;

const NO_CODE: Readonly<Record<Language, RegExp>> = {
  js: anyOf(LINE_COMMENT, BLOCK_COMMENT, SINGLE, DOUBLE, /`(?:\\[\s\S]|[^`\\])*`/.source, PATTERN),
  py: anyOf(/#.*/.source, /("""|''')[\s\S]*?\1/.source, SINGLE, DOUBLE),
  go: anyOf(LINE_COMMENT, BLOCK_COMMENT, DOUBLE, SINGLE, /`[^`]*`/.source),
  // A single quote begins a lifetime as well.
  rs: anyOf(
    ...[LINE_COMMENT, BLOCK_COMMENT, /\br(#*)"[\s\S]*?"\1/.source],
    ...[/"(?:\\[\s\S]|[^"\\])*"/.source, /'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'/.source],
  ),
};

function anyOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'g');
}

/** `undefined` for files of other languages. */
export function languageOf(path: string): Language | undefined {
  const [, kind = ''] = /\.(?:[cm]?([jt])sx?|(py|go|rs))$/.exec(path)?.filter(Boolean) ?? [];
  return kind === 'j' || kind === 't' ? 'js' : (kind as Language) || undefined;
}

/** Of the same length: comments are blank, and of values in quotes only their ends stay, as quotes. */
export const codeAlone = (text: string, language: Language): string =>
  text.replace(NO_CODE[language], (found) => {
    const blank = found.replace(/[^\n]/g, ' ');
    return COMMENT.test(found) ? blank : `"${blank.slice(1, -1)}"`;
  });

const COMMENT = /^(?:\/[/*]|#)/;
