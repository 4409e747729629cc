/** Cuts a Markdown document at its headings. */

export interface Section {
  readonly title: string;
  readonly body: string;
}

const MOST = 60;
const LONGEST_HEADING = 300;
const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

/**
 * Sections in their order; one without text is left out.
 *
 * @param name of the file: the title of what stands before the first heading.
 * @param only the section with this heading.
 */
export function sectionsOf(
  text: string,
  { name, only }: { readonly name: string; readonly only: string | undefined },
): Section[] {
  const head = FRONT_MATTER.exec(text);
  const told = ['description', 'title', 'name'].flatMap((it) => fieldOf(head?.[1] ?? '', it))[0];
  const sections: { title: string; lines: string[] }[] = [{ title: told ?? name, lines: [] }];
  let isCode = false;
  for (const line of text.slice(head?.[0].length ?? 0).split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const isHeading = !isCode && line.length < LONGEST_HEADING;
    const heading = isHeading ? /^#{1,3}\s+(.+?)\s*#*$/.exec(line)?.[1] : undefined;
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title: heading, lines: [] });
  }
  return sections
    .filter(({ title }) => only === undefined || title === only)
    .map(({ title, lines }) => ({ title, body: lines.join('\n').trim() }))
    .filter(({ body }) => body !== '')
    .slice(0, MOST);
}

function fieldOf(head: string, name: string): string[] {
  const line = head.split('\n').find((it) => it.startsWith(`${name}:`));
  const text = line?.slice(name.length + 1).trim() ?? '';
  return text === '' ? [] : [text.replace(/^(["'])(.*)\1$/, '$2')];
}
