/** How the open runs of a machine stand, for the others in its team. They are shown it, and nothing is done because of it. */
import * as z from 'zod/mini';
import { parsedJson } from '../base/text/json.ts';
import { beginning, redact } from '../base/text/redact/redact.ts';
import { worktreeRegistry } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { readBoard } from '../lanes/look/board.ts';
import { noteOn, shownState, summary } from '../lanes/look/note.ts';
import type { LaneContext } from '../lanes/spec/context.ts';
import { is } from '../lanes/spec/lane-states.ts';
import { isName } from '../lanes/spec/names.ts';
import { type Run, runStore } from '../store/lanes.ts';
import { teamLaneStore } from '../store/offered-lanes.ts';
import { pendingStore } from '../store/pending.ts';
import type { Board } from './board/board.ts';
import { keyOf, type Member } from './credentials.ts';
import type { Team } from './exchange.ts';
import { seal, unseal } from './seal.ts';

const MOST_LANES = 200;
const MOST_RUNS = 20;

// Names stand in commands that people paste.
const name = z.string().check(z.refine(isName));
const line = z.string().check(z.maxLength(2_000));
const time = z.int();
const lane = z.object({
  key: name,
  state: line,
  live: z.boolean(),
  /** The machine that works on it for this one. */
  lentTo: z.nullable(line),
  since: time,
  note: line,
});
const question = z.object({ id: line, lane: name, number: z.int(), at: time, text: line });
const run = z.object({
  name,
  /** It is another machine's, which shows its lanes itself: here are only questions. */
  lent: z.boolean(),
  summary: line,
  /** Lanes that are neither planned nor over. */
  lanes: z.array(lane).check(z.maxLength(MOST_LANES)),
  questions: z.array(question).check(z.maxLength(MOST_LANES)),
});
const snapshot = z.object({
  runs: z.array(run).check(z.maxLength(100)),
  /** Names of features that are held there. */
  held: z.array(line).check(z.maxLength(500)),
});

export type Snapshot = z.infer<typeof snapshot>;

export const NOTHING_SHOWN: Snapshot = { runs: [], held: [] };

/** Without secrets, and without features of this machine alone. */
export async function snapshotOf(workspace: Workspace, context: LaneContext): Promise<Snapshot> {
  const { store, projectId } = workspace;
  const { local } = await worktreeRegistry(workspace);
  const held = pendingStore(store)
    .ofProject(projectId)
    .flatMap(({ feature }) => (local.has(feature) ? [] : feature));
  const shown = (runs: readonly Run[]) => runs.slice(0, MOST_RUNS).map((it) => runIn(context, it));
  const runs = runStore(store);
  // The home of a run shows its lanes. Its name has an ending here, and is said without.
  const asked = shown(runs.lent(projectId))
    .filter(({ questions }) => questions.length > 0)
    .map((it) => ({ ...it, name: it.name.replace(/-[^-]+$/, ''), lent: true, lanes: [] }));
  return {
    runs: [...asked, ...shown(runs.open(projectId))],
    held: [...new Set(held)].slice(0, 500),
  };
}

function runIn(context: LaneContext, it: Run): Snapshot['runs'][number] {
  const board = readBoard(context, it);
  const claimed = teamLaneStore(context.store)
    .ofRun(it.id)
    .filter(({ state }) => state === 'claimed');
  const lentTo = new Map(claimed.map(({ laneId, host }) => [laneId, host]));
  const lanes = board.lanes.filter(({ state }) => state !== 'planned' && !is('over', state));
  return {
    name: it.name,
    lent: false,
    summary: summary(board),
    lanes: lanes.slice(0, MOST_LANES).map((card) => ({
      key: card.key,
      state: shownState(card),
      live: card.live,
      lentTo: lentTo.get(card.id) ?? null,
      since: card.since.getTime(),
      note: redact(beginning(noteOn(card, board.at), 200)),
    })),
    questions: board.questions.slice(0, MOST_LANES).map((asked) => ({
      id: asked.id,
      lane: asked.lane,
      number: asked.number,
      at: asked.at.getTime(),
      text: redact(beginning(asked.body, 1_000)),
    })),
  };
}

const boundTo = (repo: string, host: string): string => `snapshot|${repo}|${host}`;

/** A machine in a team, and a repository. */
export interface Place {
  readonly member: Member;
  readonly project: Pick<Team['project'], 'repo'>;
}

/** The board takes 256 KiB. */
const MOST_BYTES = 260_000;

/** Of more than the board takes, the last runs are not shown. */
export function putSnapshot(
  board: Board,
  { member, project: { repo } }: Place,
  { runs, held }: Snapshot,
) {
  const shown = [...runs];
  const text = () => JSON.stringify({ runs: shown, held });
  while (shown.length > 0 && Buffer.byteLength(text()) > MOST_BYTES) shown.pop();
  return board.putSnapshot({ repo, body: seal(keyOf(member), boundTo(repo, member.host), text()) });
}

/** What the machines of the team show of a project; what cannot be read is left out, because anybody may have put it there. */
export async function snapshotsOn(board: Board, { member, project: { repo } }: Place) {
  const all = (await board.getSnapshots({ repo })).flatMap(({ body, ...of }) => {
    const text = unseal(keyOf(member), boundTo(repo, of.host), body);
    const read = snapshot.safeParse(parsedJson(text ?? '')).data;
    return read === undefined ? [] : [{ ...of, ...read }];
  });
  const shown = all.flatMap(({ runs }) => runs.filter(({ lent }) => !lent));
  // A lane that has come back asks at its home.
  const asksAt = (machine: string, run: string) => (asked: { readonly lane: string }) =>
    shown
      .filter(({ name: of }) => of === run)
      .every(({ lanes }) => lanes.some((it) => it.key === asked.lane && it.lentTo === machine));
  return all.map((it) => ({
    ...it,
    runs: it.runs.map((of) =>
      of.lent ? { ...of, questions: of.questions.filter(asksAt(it.name, of.name)) } : of,
    ),
  }));
}
