// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { anyText } from '../support/any-text.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { executing, inert } from './compositions.ts';
import { contextOf, read, verdict } from './reading.ts';

const boundary = fc.constantFrom(
  'git push',
  'git -C . push origin HEAD',
  'npm publish --tag next',
  'gh pr create --fill',
  'docker push acme/app:1',
  'kubectl apply -f k8s/',
  'cargo publish',
);
const harmless = fc.constantFrom(
  'git status --short',
  'git push --dry-run',
  'npm test',
  'gh pr view 1',
  'ls -la | head',
  'docker build .',
);

test('whatever executes a boundary is one', () => {
  fc.assert(
    fc.property(boundary, executing, (text, compose) => verdict(compose(text)) === 'boundary'),
    { numRuns: 1_500 },
  );
});

test('whatever only mentions a boundary is none', () => {
  fc.assert(
    fc.property(boundary, inert, (text, compose) => verdict(compose(text)) === 'none'),
    { numRuns: 1_500 },
  );
});

test('whatever executes something harmless is none', () => {
  fc.assert(
    fc.property(harmless, executing, (text, compose) => verdict(compose(text)) === 'none'),
    { numRuns: 1_000 },
  );
});

/** Each fills one of the bounds of a reading, more or less far. */
const padding = fc.constantFrom<(size: number) => string>(
  (size) => ': x\n'.repeat(size),
  (size) => 'git push origin other\n'.repeat(size / 40),
  (size) => `for it in ${'x '.repeat(size / 20)}; do :; done\n`,
  (size) => `list=(${'x '.repeat(size)})\n: "\${list[@]}"\n`,
  (size) => `text=${'x'.repeat(size * 20)}\n: "$text" "$text"\n`,
  (size) => `: ${'{a,b}'.repeat(size / 900)}\n`,
);
const hidden = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `eval '${text}'`,
  (text) => `last() { ${text}\n}; last`,
  (text) => `${'eval '.repeat(30)} '${text}'`,
  () => `for it in ${'x '.repeat(40)} 'pu'; do git "\${it}sh"; done`,
);

test('no limit loses a boundary: past any bound the rest is opaque', () => {
  const sizes = fc.integer({ min: 1, max: 16_000 });
  fc.assert(
    fc.property(padding, sizes, hidden, boundary, (pad, size, hide, text) => {
      const found = read(`${pad(size)}${hide(text)}`);
      const isBound = found.some((it) => it.verdict === 'opaque' && it.suspicious);
      const rules = found.filter((it) => it.verdict === 'boundary' && !it.argv.includes('other'));
      return isBound || rules.length > 0;
    }),
    { numRuns: 40 },
  );
});

const fragment = fc.constantFrom(
  ...'git push npm publish sh -c eval echo " \' ` $( ) { } ${ $(( )) <( >( << <<< EOF | & ; && || \\ \n'.split(
    ' ',
  ),
  ...'if then fi for in do done case esac while function () = [ ] [[ ]] # ! * ? ~ $x "$@" ${x:- {a,b} 1>&2 xargs'.split(
    ' ',
  ),
);

test('any text is read without an exception', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 200 }),
    anyText({ maxLength: 100 }),
    fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(' ')),
    fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (command) => {
      const findings = read(command);
      return !findings.some(
        (it) => it.verdict === 'opaque' && it.why.startsWith('reading it failed'),
      );
    }),
    { numRuns: 2_000 },
  );
});

const DEEP = 3_000;

test.each([
  ['subshells', `${'('.repeat(DEEP)}git push${')'.repeat(DEEP)}`],
  ['substitutions', `echo ${'$(echo '.repeat(DEEP)}git push${')'.repeat(DEEP)}`],
  ['braces', `git ${'{a,'.repeat(DEEP)}push${'}'.repeat(DEEP)}`],
  ['brace products', `git ${'{a,b}'.repeat(DEEP)} push`],
  ['doubling variable', `x=push\n${'x="$x$x"\n'.repeat(60)}git $x`],
  ['doubling list', `f() { ${'f; f; '.repeat(50)} }; f; git push`],
  ['nested loops', `${'for a in 1 2; do b=$b$a\n'.repeat(60)}git push\n${'done\n'.repeat(60)}`],
  [
    'calls fanning out',
    `${Array.from({ length: 40 }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join('\n')}\nf40() { git push; }\nf0`,
  ],
  ['eval of itself', 'x=\'eval "$x"; eval "$x"\'; eval "$x"; git push'],
  ['file that runs itself', 'echo "sh x.sh; sh x.sh; git push" > x.sh; sh x.sh'],
  ['heredocs', `git push\n${'cat <<A <<B <<C\n'.repeat(2_000)}`],
  ['quotes', `echo ${'"$('.repeat(DEEP)} push`],
  ['options', `git ${'--unknown x '.repeat(4_000)} push`],
  ['words', `git push ${'x '.repeat(100_000)}`],
  ['backquotes', `echo ${'`'.repeat(10_001)} push`],
  ['arrays', `a=(${'push '.repeat(20_000)}); git "\${a[@]}"`],
  ['globs', `x=${'a'.repeat(2_000)}; echo "\${x%${'*a'.repeat(500)}b}"; git push`],
])('%s end in a bounded time with something found', (_name, command) => {
  // A bound, no more: what a command costs is measured elsewhere.
  expect(cpuMs(() => expect(recognise(command, contextOf())).not.toEqual([]))).toBeLessThan(20_000);
});

test('an exception from the machine it reads for is opaque, not thrown', () => {
  const broken = {
    ...contextOf(),
    readFile: () => {
      throw new Error('disk on fire');
    },
  };
  expect(recognise('bash x.sh; git push', broken)).toEqual([
    expect.objectContaining({ verdict: 'opaque', suspicious: true }),
  ]);
});
