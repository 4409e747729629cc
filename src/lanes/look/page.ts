/** Lines as a page of Markdown, up to a given length. */
import { plural } from '../../base/text/printable.ts';
import { code, cut, quotedLines } from '../../base/text/quoting.ts';
import type { Line } from './lines.ts';
import { joined, SECTIONS, type Section } from './note.ts';

interface Page {
  readonly title: string;
  readonly intro: string;
  readonly lines: readonly Line[];
  /** The command that shows what this page leaves out. */
  readonly whole: string;
}

export interface PageOptions {
  readonly maxChars?: number | undefined;
  readonly ids: 'short' | 'full';
}

const KEEP_ORDER: readonly Section[] = [
  'questions',
  'decide',
  'running',
  'next',
  'goal',
  'verified',
  'waiting',
  'decisions',
];
const MIN_QUOTE = 120;
const QUOTES_PER_PAGE = 15;

export function renderPage(page: Page, { maxChars, ids }: PageOptions) {
  const limit = maxChars ?? Number.POSITIVE_INFINITY;
  const maxQuote = Math.max(MIN_QUOTE, Math.floor(limit / QUOTES_PER_PAGE));
  const blocks = blocksOf(page.lines, ids, maxQuote);
  const leftOf = (shown: Shown) =>
    page.lines.length - [...shown.values()].reduce((sum, { lines }) => sum + lines, 0);
  const textOf = (shown: Shown) => assembled(page, shown, leftOf(shown));
  const fits = (shown: Shown) => textOf(shown).length <= limit;
  const whole: Shown = new Map(blocks.map((block) => [block, block.full]));
  const shown = fits(whole) ? whole : mostOf(blocks, fits);
  return { text: cut(textOf(shown), limit), left: leftOf(shown) };
}

type Block = ReturnType<typeof blocksOf>[number];

type Shown = ReadonlyMap<Block, Block['full']>;

/** Selects as many blocks as fit, the most important first, and then as many in full as fit. */
function mostOf(blocks: readonly Block[], fits: (shown: Shown) => boolean): Shown {
  let shown: Shown = new Map();
  const wanted = KEEP_ORDER.flatMap((it) => blocks.filter(({ section }) => section === it));
  for (const size of ['short', 'full'] as const) {
    for (const block of wanted) {
      const more = new Map(shown).set(block, block[size]);
      if ((size === 'short' || shown.has(block)) && fits(more)) shown = more;
    }
  }
  return shown;
}

/** Lines that are shown or left out together: a lane with its commit, worktree and evidence. */
function blocksOf(lines: readonly Line[], ids: PageOptions['ids'], maxQuote: number) {
  const groups = Map.groupBy(lines, ({ about, lane }) => (lane ? `lane ${lane}` : about));
  return [...groups.values()].map((group) => {
    const [head, ...details] = group as [Line, ...Line[]];
    const { section, source, quote } = head;
    const commands = (head.commands ?? []).map((it) => code(it, 300)).join(' · ');
    if (section === 'next') {
      const whole = { text: `- ${commands}: ${head.text}`, lines: group.length };
      return { section, full: whole, short: whole };
    }
    const first = `- ${head.text} ${sourceText(source, ids)}`.trimEnd();
    const quoted = quote?.trim() ? quotedLines(quote, maxQuote).replaceAll(/^/gm, '  ') : '';
    // A question is useless without its text; other quotes are shown if they fit.
    const always = section === 'questions' || section === 'goal' ? quoted : '';
    const last = commands && `  ${commands}`;
    const more = details.map(({ text }) => text).join(' · ');
    const full = joined('\n', [first, quoted, last, more && `  ${more}`]);
    const short = joined('\n', [first, always, last]);
    return { section, full: { text: full, lines: group.length }, short: { text: short, lines: 1 } };
  });
}

/** `[e12 1a2b3c4d v9f8e7d]`: event, commit, validation. Ids are shortened to their random end. */
function sourceText({ event, sha, validation, report }: Line['source'], ids: PageOptions['ids']) {
  const full = ids === 'full';
  const tail = (id: string) => (full ? id : id.slice(-6));
  const text = joined(' ', [
    event !== undefined && `e${event}`,
    full ? sha : sha?.slice(0, 8),
    validation !== undefined && `v${tail(validation)}`,
    report !== undefined && `r${tail(report)}`,
  ]);
  return text && `[${text}]`;
}

function assembled({ title, intro, whole }: Page, shown: Shown, left: number): string {
  const parts = [`# ${title}`, intro];
  for (const [section, heading] of Object.entries(SECTIONS)) {
    const here = [...shown].filter(([block]) => block.section === section);
    if (here.length > 0) parts.push(`## ${heading}`, here.map(([, it]) => it.text).join('\n'));
  }
  if (left > 0) parts.push(`Left out: ${plural(left, 'line')}. All of it: ${code(whole, 300)}`);
  return `${joined('\n\n', parts)}\n`;
}
