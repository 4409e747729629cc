/** Collects the licences of the packages whose code is in what is built. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root of the checkout
 * @param {readonly import('esbuild').Metafile[]} metafiles of all that is built
 * @returns {string} name, version and licence text of each package, sorted by name
 */
export function licences(root, metafiles) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(inputs.map(packageFolder).filter((it) => it !== undefined));
  const parts = [...folders].sort().map((folder) => licence(join(root, folder)));
  return `lanehold contains code of these packages.\n\n${[...new Set(parts)].join('\n')}`;
}

/** @param {string} path of a module, relative to the checkout */
const packageFolder = (path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

/** @param {string} folder */
function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const read = (pattern) =>
    readdirSync(folder)
      .filter((it) => pattern.test(it))
      .map((it) => readFileSync(join(folder, it), 'utf8').trim());
  const own = read(/^(licen[cs]e|notice)/i);
  // Some have it at the end of what they say of themselves.
  const ends = () =>
    read(/^readme/i).flatMap((it) => /^#+ licen[cs]e\s+(.*)$/ims.exec(it)?.[1] ?? []);
  const texts = own.length > 0 ? own : ends();
  if (license === undefined && texts.length === 0) throw new Error(`${name} names no licence`);
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}
