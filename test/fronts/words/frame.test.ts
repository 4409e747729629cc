/** What is written to a terminal, byte by byte: nothing flickers where only lines that differ are written. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { frameOn } from '../../../src/fronts/words/frame.ts';

/** What each call wrote, with the bytes that put it on the screen at once taken off. */
function recorded() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 20, rows: 10 });
  const frame = frameOn(stream);
  return (call: (it: typeof frame) => void, size = {}) => {
    Object.assign(stream, size);
    call(frame);
    const text = stream.read()?.toString() ?? '';
    if (text === '') return '';
    const [, inner] = text.split('\u001b[?2026h');
    expect(inner?.endsWith('\u001b[?2026l')).toBe(true);
    return inner?.slice(0, -'\u001b[?2026l'.length).replaceAll('\u001b', '^');
  };
}

test('only lines that differ are written, in one piece, and the screen is cleared for another size alone', () => {
  const write = recorded();
  expect(write((it) => it.draw(['one', 'two', 'three']))).toBe(
    '^[?25l\rone^[K\r\ntwo^[K\r\nthree^[K',
  );
  expect(write((it) => it.draw(['one', 'two', 'three']))).toBe('');
  expect(write((it) => it.draw(['one', 'TWO', 'three']))).toBe('\r^[1ATWO^[K');
  expect(write((it) => it.draw(['one', 'TWO', 'three', 'four']))).toBe('\r\n\nfour^[K');
  expect(write((it) => it.draw(['1', 'TWO']))).toBe('\r^[3A1^[K\r\n\n^[J');
  expect(write((it) => it.draw(['1', 'TWO']), { columns: 30 })).toBe('^[2J^[H\r1^[K\r\nTWO^[K');
  expect(write((it) => it.done())).toBe('\r\n^[?25h');
  expect(write((it) => it.draw(['below']))).toBe('^[?25l\rbelow^[K');
  expect(write((it) => it.clear())).toBe('\r^[J^[?25h');
});
