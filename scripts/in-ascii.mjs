/**
 * Node reads a text of ASCII several times as fast. Only in regular expressions esbuild leaves other characters,
 * where an escape means the same.
 *
 * @param {Uint8Array} contents
 */
export function inAscii(contents) {
  const escaped = (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = Buffer.from(contents).toString('utf8');
  return Buffer.from(text.replaceAll(/[^\0-\x7f]/g, escaped));
}
