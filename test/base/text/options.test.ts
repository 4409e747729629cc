import { expect, test } from 'vitest';
import { grammarOf, leadingOptions, readUse, type Word } from '../../../src/base/text/options.ts';

const GRAMMAR = grammarOf({
  values: '-m --message --date',
  flags: '-a --all -q --quiet --dry-run',
  attached: '-S',
  abbreviates: true,
});

const read = (line: string) => {
  const words: Word[] = line.split(' ').map((it) => (it === '…' ? undefined : it));
  const { options, operands } = readUse(words, 0, GRAMMAR);
  return [
    ...options.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`)),
    ...operands.map((it) => it ?? '…'),
  ].join(' ');
};

test.each([
  ['-m text file', '-m=text file'],
  ['-mtext file', '-m=text file'],
  ['-qam text file', '-q -a -m=text file'],
  ['--message=text file', '--message=text file'],
  ['--mess text file', '--message=text file'],
  ['--dr file', '--dry-run file'],
  ['--no-dry file', '--no-dry-run file'],
  ['--d file', '--d file'],
  ['-Skey file', '-S=key file'],
  ['-S file', '-S file'],
  ['-aSkey -q', '-a -S=key -q'],
  ['file -a -- -q', '-a file -q'],
  ['-m … file', '-m file'],
  ['… -a', '-a …'],
  ['--unheard file', '--unheard file'],
  ['- -a', '-a -'],
])('%s', (line, expected) => {
  expect(read(line)).toBe(expected);
});

test('tells the words after two dashes from the others', () => {
  expect(readUse(['a', '--', 'b'], 0, GRAMMAR)).toMatchObject({
    operands: ['a', 'b'],
    afterDashes: ['b'],
  });
  expect(readUse(['a'], 0, GRAMMAR).afterDashes).toBeUndefined();
});

test('options of one dash may be whole words', () => {
  const grammar = grammarOf({ values: '-chdir', style: 'word' });
  const use = readUse(['-chdir', 'x', '-auto-approve', '-var=a'], 0, grammar);
  expect(use.options).toEqual([
    { name: '-chdir', value: 'x' },
    { name: '-auto-approve', value: undefined },
    { name: '-var', value: 'a' },
  ]);
});

test('leading options end at the first other word', () => {
  expect(leadingOptions(['git', '-a', '-m', 'x', 'y', '-q'], 1, GRAMMAR)).toEqual({
    options: [
      { name: '-a', value: undefined },
      { name: '-m', value: 'x' },
    ],
    next: 4,
  });
});
