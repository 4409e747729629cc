import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const inDocs = readdirSync(join(ROOT, 'docs')).filter((it) => it.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', ...inDocs.map((it) => `docs/${it}`)];

test('README.md is read to its end: at most 900 words', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('docs/README.md leads to every page', () => {
  const index = read('docs/README.md');
  expect(inDocs.filter((it) => !index.includes(`](${it})`))).toEqual(['README.md']);
});

test.each(pages)('%s begins with what it is for', (page) => {
  expect(read(page)).toMatch(/^# [^\n]+\n\n(?![#|<-]|```)/);
});

test.each(pages)('the links of %s lead somewhere', (page) => {
  const links = read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g);
  for (const [link, path = '', anchor] of links) {
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(ROOT, target)), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(target)), link).toContain(anchor);
  }
});

/** Headings as GitHub names them. */
const anchorsOf = (text: string) =>
  Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
