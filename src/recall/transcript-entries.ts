/** Reduces the entries of a transcript to what hooks record of a session. */
import type { TranscriptEntry } from '../agents/definition.ts';
import type { Seen } from '../store/observations.ts';
import { commandSeen, EMPTY_OBSERVATION, editedFiles, type Kept } from './actions.ts';
import { saidText, spokenBy } from './prompts.ts';

export interface SeenEntries {
  readonly seen: readonly Seen[];
  /** The entries go on within a turn that was recorded before: its last message is another one now. */
  readonly goesOn: boolean;
}

/** @param began for what comes before the first time that is told. */
export function seenIn(
  entries: readonly TranscriptEntry[],
  { kept, began, isSub }: { readonly kept: Kept; readonly began: Date; readonly isSub: boolean },
): SeenEntries {
  const seen: Seen[] = [];
  let goesOn = false;
  let at = began;
  /** Only the last message of a turn is kept. */
  let last: Seen | undefined;
  const endTurn = (): void => {
    const text = last?.text ? saidText(last.text) : '';
    if (last === undefined || text === '') return;
    goesOn ||= !seen.some(({ kind }) => kind === 'prompt');
    seen.push({ ...last, text });
    last = undefined;
  };
  for (const entry of entries) {
    if (!Number.isNaN(entry.at.getTime())) at = entry.at;
    if (isSub && !DEEDS.includes(entry.kind)) continue;
    const told = keptOf(entry, kept);
    const found = told && { ...EMPTY_OBSERVATION, ...told, at };
    if (found?.kind === 'stop') last = found;
    else if (found !== undefined) {
      if (found.kind === 'prompt') endTurn();
      seen.push(found);
    }
  }
  endTurn();
  return { seen, goesOn };
}

/** Messages between a sub-agent and its parent are not kept. */
const DEEDS: readonly TranscriptEntry['kind'][] = ['command', 'edit'];

function keptOf(
  entry: TranscriptEntry,
  kept: Kept,
): (Pick<Seen, 'kind'> & Partial<Seen>) | undefined {
  switch (entry.kind) {
    case 'prompt': {
      const spoken = spokenBy(entry.text);
      return spoken && { kind: 'prompt', ...spoken };
    }
    case 'message':
      return entry.text.trim() === '' ? undefined : { kind: 'stop', text: entry.text };
    case 'summary':
      return { kind: 'compaction' };
    case 'command':
      return { kind: 'command', ...commandSeen(entry.text) };
    case 'edit': {
      const files = editedFiles(entry.paths, kept);
      return files.length === 0 ? undefined : { kind: 'edit', files };
    }
    case 'tool':
      return undefined;
  }
}
