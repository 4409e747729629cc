/** The output of `echo` and `printf`. */
import { isKnown, UNKNOWN } from './unknown.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

export function printed(argv: readonly string[]): string {
  let at = 1;
  let newline = true;
  let escapes = false;
  for (; /^-[neE]+$/.test(argv[at] ?? ''); at += 1) {
    if (argv[at]?.includes('n')) newline = false;
    if (argv[at]?.includes('e')) escapes = true;
  }
  const text = argv.slice(at).join(' ');
  // Only `-e` interprets escapes here, as in bash; the `echo` of some sh does so always.
  return (escapes ? unescaped(text) : text) + (newline ? '\n' : '');
}

export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|(.))/gs,
    (all, hex, unicode, octal, char) => {
      if (hex ?? unicode) return String.fromCharCode(Number.parseInt(hex ?? unicode, 16));
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return ESCAPES[char] ?? all;
    },
  );
}

/** `printf` reuses its format until its arguments are used up. */
export function printfTexts(argv: readonly string[]): string {
  const [format = '', ...args] = argv.slice(argv[1] === '--' ? 2 : 1);
  if (!isKnown(format)) return UNKNOWN;
  let output = '';
  let at = 0;
  do {
    const before = at;
    output += formatted(format, () => {
      at += 1;
      return args[at - 1] ?? '';
    });
    if (at === before) break;
  } while (at < args.length && output.length < 100_000);
  return output;
}

const FORMAT =
  /%[-+ #0]{0,5}\d{0,9}(?:\.\d{1,9})?([a-zA-Z%])|\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|.)/gs;

function formatted(format: string, next: () => string): string {
  return format.replace(FORMAT, (all, directive: string | undefined) => {
    if (directive === undefined) return unescaped(all);
    if (directive === '%') return '%';
    return directive === 'b' ? unescaped(next()) : next();
  });
}
