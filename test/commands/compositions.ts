// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import fc from 'fast-check';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A here-document whose end cannot stand in the text. */
function heredoc(text: string, head: string): string {
  let mark = 'END';
  while (text.includes(mark)) mark += 'X';
  return `${head} <<'${mark}'\n${text}\n${mark}\n`;
}

type Compose = (text: string) => string;

/** Each runs the given text exactly once in a shell, in the same folder. */
const EXECUTING: Readonly<Record<string, Compose>> = {
  after: (text) => `:; ${text}`,
  'after a line': (text) => `true\n${text}`,
  before: (text) => `${text}\ntrue`,
  and: (text) => `true && { ${text}\n}`,
  or: (text) => `false || { ${text}\n}`,
  subshell: (text) => `( ${text}\n)`,
  group: (text) => `{ ${text}\n}`,
  background: (text) => `{ ${text}\n} & wait`,
  'piped on': (text) => `{ ${text}\n} | cat`,
  'piped into': (text) => `: | { ${text}\n}`,
  if: (text) => `if true; then ${text}\nfi`,
  else: (text) => `if false; then :; else ${text}\nfi`,
  for: (text) => `for it in once; do ${text}\ndone`,
  while: (text) => `while true; do ${text}\nbreak; done`,
  case: (text) => `case x in x) ${text}\n;; esac`,
  function: (text) => `run_it() { ${text}\n}; run_it`,
  substitution: (text) => `: "$( ${text}\n)"`,
  'process substitution': (text) => `cat <( ${text}\n) > /dev/null`,
  sh: (text) => `sh -c ${quoted(text)}`,
  'bash with switches': (text) => `bash -e -o pipefail -c ${quoted(text)} name`,
  eval: (text) => `eval ${quoted(text)}`,
  'variable and eval': (text) => `program=${quoted(text)}; eval "$program"`,
  'variable and sh': (text) => `program=${quoted(text)}; sh -c "$program"`,
  'positional parameter': (text) => `set -- ${quoted(text)}; sh -c "$1"`,
  array: (text) => `words=(sh -c ${quoted(text)}); "\${words[@]}"`,
  'parameter of a function': (text) => `call() { "$@"; }; call sh -c ${quoted(text)}`,
  'here-document': (text) => heredoc(text, 'sh'),
  'here-string': (text) => `bash <<< ${quoted(text)}`,
  'pipe into sh': (text) => `printf '%s\\n' ${quoted(text)} | sh`,
  'pipe through cat': (text) => `printf '%s\\n' ${quoted(text)} | cat - | bash -s -- x`,
  base64: (text) => `echo ${Buffer.from(text).toString('base64')} | base64 -d | sh`,
  'written file': (text) => `${heredoc(text, `cat > w${text.length}.sh`)}sh ./w${text.length}.sh`,
  sourced: (text) => `${heredoc(text, `cat > s${text.length}.sh`)}. ./s${text.length}.sh`,
  env: (text) => `env -u NOTHING A=b sh -c ${quoted(text)}`,
  nohup: (text) => `nohup sh -c ${quoted(text)} 2> /dev/null`,
  timeout: (text) => `timeout -k 1 30 sh -c ${quoted(text)}`,
  nice: (text) => `nice -n 1 sh -c ${quoted(text)}`,
  command: (text) => `command sh -c ${quoted(text)}`,
  exec: (text) => `( exec sh -c ${quoted(text)} )`,
  find: (text) => `find . -maxdepth 0 -exec sh -c ${quoted(text)} \\;`,
  xargs: (text) => `echo once | xargs -I@@ sh -c ${quoted(text)}`,
  trap: (text) => `( trap ${quoted(text)} EXIT )`,
  'trap of a later function': (text) => `( trap at_end EXIT; at_end() { ${text}\n}; exit 0 )`,
  'what does not end it': (text) =>
    `bash -c ${quoted(`return 2> /dev/null; break; (exit); exit | cat; ${text}`)}`,
  'after a loop that ends': (text) => `for it in 1 2; do break; exit; done; ${text}`,
  'before a return': (text) => `ends_here() { ${text}\nreturn; exit; }; ends_here`,
  until: (text) => `until ${text}\ntrue; do :; done`,
  'third turn': (text) => `for it in 1 2 3; do [ $it = 3 ] || continue; ${text}\ndone`,
  'waited for': (text) => `{ ${text}\n} & job=$!; wait $job`,
  'name reference': (text) => `program=${quoted(text)}; declare -n named=program; eval "$named"`,
  descriptor: (text) => `exec 7<<< ${quoted(text)}; sh <&7; exec 7<&-`,
  'several statements': (text) => `: a; : b\n: c && ${text}`,
};

/** Each only mentions the given text. */
const INERT: Readonly<Record<string, Compose>> = {
  echo: (text) => `echo ${quoted(text)}`,
  'null command': (text) => `: ${quoted(text)}`,
  variable: (text) => `text=${quoted(text)}; echo "$text"`,
  'here-document of cat': (text) => heredoc(text, 'cat'),
  'written file': (text) => heredoc(text, 'cat > notes.md'),
  'here-string of cat': (text) => `cat <<< ${quoted(text)}`,
  pattern: (text) => `grep -F -- ${quoted(text)} /dev/null || true`,
  'uncalled function': (text) => `never_called() { ${text}\n}`,
  message: (text) => `git commit -q -m ${quoted(text)}`,
  'message by substitution': (text) => `git commit -m "$(${heredoc(text, 'cat')})"`,
  argument: (text) => `printf '%s\\n' ${quoted(text)} > /dev/null`,
  'syntax check': (text) => `sh -n -c ${quoted(text)}`,
  'array element': (text) => `list=(${quoted(text)}); echo "\${#list[@]}"`,
  'python string': (text) => `: python3 -c ${quoted(`print(${JSON.stringify(text)})`)}`,
  'after exit': (text) => `( exit 0\n${text}\n)`,
  'after a break': (text) => `for it in 1; do break\n${text}\ndone`,
  'after a return': (text) => `leaves() { return\n${text}\n}; leaves`,
  'trap that is taken back': (text) => `unused=${quoted(text)}; trap - EXIT`,
};

const named = (all: Readonly<Record<string, Compose>>): fc.Arbitrary<Compose> =>
  fc.constantFrom(...Object.values(all));

const composed = (forms: fc.Arbitrary<Compose>): fc.Arbitrary<Compose> =>
  fc
    .array(forms, { minLength: 1, maxLength: 5 })
    .map((list) => (text) => list.reduce((inner, form) => form(inner), text));

/** Any composition of executing forms. */
export const executing = composed(named(EXECUTING));

const { 'process substitution': _, ...SETTLED } = EXECUTING;

/** The same without the form whose process may outlive the shell that started it. */
export const executingSettled = composed(named(SETTLED));

const inertAmong = (forms: fc.Arbitrary<Compose>): fc.Arbitrary<Compose> =>
  fc
    .tuple(fc.array(forms, { maxLength: 3 }), named(INERT), fc.array(forms, { maxLength: 3 }))
    .map(([within, form, around]) => (text) => {
      const inner = within.reduce((it, next) => next(it), text);
      return around.reduce((it, next) => next(it), form(inner));
    });

/** A composition with an inert form somewhere inside it. */
export const inert = inertAmong(named(EXECUTING));
export const inertSettled = inertAmong(named(SETTLED));
