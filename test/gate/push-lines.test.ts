import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedPushError } from '../../src/gate/errors.ts';
import { parsePushLines } from '../../src/gate/git/read-push.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const ZEROS = '0'.repeat(40);

test('reads what git writes', () => {
  const lines = [
    `refs/heads/main ${A} refs/heads/main ${B}`,
    `refs/heads/new ${A} refs/heads/new ${ZEROS}`,
    `(delete) ${ZEROS} refs/heads/gone ${B}`,
    `HEAD@{1 day ago} ${A} refs/heads/old ${B}`,
  ];
  expect(parsePushLines(`${lines.join('\n')}\n`)).toEqual([
    { source: 'refs/heads/main', oid: A, destination: 'refs/heads/main', remoteOid: B },
    { source: 'refs/heads/new', oid: A, destination: 'refs/heads/new', remoteOid: undefined },
    { source: '(delete)', oid: undefined, destination: 'refs/heads/gone', remoteOid: B },
    { source: 'HEAD@{1 day ago}', oid: A, destination: 'refs/heads/old', remoteOid: B },
  ]);
});

test('reads the ids of a SHA-256 repository', () => {
  const [long, none] = ['c'.repeat(64), '0'.repeat(64)];
  expect(parsePushLines(`HEAD ${long} refs/heads/x ${none}\n`)).toEqual([
    { source: 'HEAD', oid: long, destination: 'refs/heads/x', remoteOid: undefined },
  ]);
});

test('nothing to send is no line', () => {
  expect(parsePushLines('')).toEqual([]);
});

describe('refuses what git does not write', () => {
  test.each([
    '\n',
    `refs/heads/main ${A} refs/heads/main`,
    `refs/heads/main ${A} refs/heads/main ${B} more`,
    `refs/heads/main ${A.slice(1)} refs/heads/main ${B}`,
    `refs/heads/main ${A} refs/heads/main ${B}\n\n`,
    `refs/heads/main ${A} refs/heads/main ${B}\nrefs/heads/x\n`,
    `refs/heads/main  ${A} ${B}`,
  ])('%j', (text) => {
    expect(parsePushLines(text)).toBeInstanceOf(MalformedPushError);
  });

  test('any text is lines, or it is refused', () => {
    const outcome = (text: string): boolean => {
      const lines = parsePushLines(text);
      if (lines instanceof MalformedPushError) return true;
      return lines.length === text.split('\n').filter((line) => line !== '').length;
    };
    const word = fc.constantFrom(A, B, ZEROS, 'refs/heads/x', ' ', '\n', '(delete)', '');
    const text = fc.oneof(
      fc.string(),
      fc.array(word).map((words) => words.join(' ')),
    );
    fc.assert(fc.property(text, outcome));
  });
});
