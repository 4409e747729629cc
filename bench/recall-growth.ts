/** What a prompt costs as the store grows: files of made-up words, as frequent as words are in prose. */
import { join } from 'node:path';
import { homeOf } from '../src/base/files/home.ts';
import { searchFiles } from '../src/recall/code/search-code.ts';
import { putItem } from '../src/recall/put-item.ts';
import { queryOf } from '../src/recall/query.ts';
import { searchItems } from '../src/recall/search.ts';
import { codeStore } from '../src/store/code-index.ts';
import { mergeSegments } from '../src/store/merge-segments.ts';
import { openStore, type Store } from '../src/store/open.ts';
import { projectStore } from '../src/store/projects.ts';
import { type RecallItem, recallStore } from '../src/store/recall.ts';

const STEPS = [1_000, 20_000, 100_000] as const;
/** Items for each piece of a file. */
const ITEMS = 0.25;
const PROMPTS = 50;
const VOCABULARY = 30_000;
const AT = new Date('2026-01-01');

export async function measureGrowth(folder: string) {
  const store = await openStore(homeOf({ LANEHOLD_HOME: join(folder, 'growth') }));
  const projectId = store.write(() => projectStore(store).ensure('growth', AT));
  const random = seeded(7);
  const rows = [];
  let filled = 0;
  for (const pieces of STEPS) {
    fill(store, projectId, filled, pieces, random);
    filled = pieces;
    await mergeSegments(store);
    const times = Array.from({ length: PROMPTS }, () => {
      const query = queryOf(text(random, 14));
      const start = process.cpuUsage();
      searchItems(store, { projectId, query, now: AT });
      searchFiles(store, { projectId, query, now: AT });
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    }).sort((a, b) => a - b);
    const medianMs = times[PROMPTS / 2] ?? 0;
    rows.push({ pieces, items: pieces * ITEMS, medianMs, worstMs: times.at(-1) ?? 0 });
  }
  store.close();
  return rows;
}

function fill(store: Store, projectId: number, from: number, to: number, random: () => number) {
  const code = codeStore(store);
  const recall = recallStore(store);
  store.write(() => {
    for (let at = from; at < to; at += 1) {
      const path = `src/${word(random)}/${word(random)}-${at}.ts`;
      const words = { files: path.replaceAll(/\W+/g, ' '), symbols: '', body: text(random, 100) };
      const piece = { firstLine: 1, lastLine: 80, symbols: '', words };
      code.putFile({ projectId, path, blob: `${at}`, uid: null }, [piece]);
      if (at % (1 / ITEMS) === 0) putItem(recall, item(at, projectId, random));
    }
  });
}

function item(at: number, projectId: number, random: () => number): RecallItem {
  return {
    ...{ uid: `growth-${at}`, projectId, kind: 'summary', status: 'active', source: 'import' },
    ...{ title: text(random, 8), body: text(random, 40), conditions: '', digest: '', at: AT },
    ...{ files: [], links: [], commands: [], why: null, path: null, branch: null, agent: null },
    ...{ session: null, checkedAt: null, anchors: null },
  };
}

const text = (random: () => number, length: number): string =>
  Array.from({ length }, () => word(random)).join(' ');

/** The second word is half as frequent as the first, the third a third of it, and so on. */
function word(random: () => number): string {
  let rank = Math.floor(VOCABULARY ** random());
  let letters = '';
  for (; rank > 0; rank = Math.floor(rank / 12)) letters += SYLLABLES[rank % 12];
  return `${letters}q`;
}

const SYLLABLES = 'ba do fi gu ka le mo nu pa ri so tu'.split(' ');

/** Between 0 and 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
