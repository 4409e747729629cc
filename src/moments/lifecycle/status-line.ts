/**
 * The status line of an agent, from hooks' notes on a working tree, without git. It is started after each turn of an
 * agent, and changes nothing.
 */
import { existsSync } from 'node:fs';
import { AGENTS } from '../../agents/registry.ts';
import { homeOf } from '../../base/files/home.ts';
import { programName } from '../../base/files/package.ts';
import { branchAt, projectPlace } from '../../base/git/project.ts';
import { run } from '../../base/process/run.ts';
import { at, type JsonObject, jsonLine } from '../../base/text/json.ts';
import { enumerated, plural, shortRef } from '../../base/text/printable.ts';
import { notedPushes } from '../../gate/noted-pushes.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { decisionStore } from '../../store/decisions.ts';
import type { HeldPush } from '../../store/held-pushes.ts';
import { type LaneState, type LaneView, laneStore, runStore } from '../../store/lanes.ts';
import { observationStore } from '../../store/observations.ts';
import type { Store } from '../../store/open.ts';
import { pendingStore } from '../../store/pending.ts';
import { projectStore } from '../../store/projects.ts';
import { recallStore } from '../../store/recall.ts';
import { sessionStore } from '../../store/sessions.ts';
import { hookGaps } from '../watch/gaps.ts';

interface Here {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly now: () => Date;
  readonly store: () => Promise<Store>;
}

/**
 * The line for the session in the input, else for the folder.
 *
 * @param theirs the user's line above it, which is printed in any case.
 * @throws what the store throws, if there is no line above it.
 */
export async function statusLine(here: Here, input: string, theirs?: Promise<string>) {
  const payload = jsonLine(input);
  const said = at.text(payload, 'cwd');
  const cwd = said && existsSync(said) ? said : here.cwd;
  let noted: QuickStatus | undefined;
  try {
    noted = await quickStatus({ ...here, cwd });
  } catch (error) {
    if (theirs === undefined) throw error;
  }
  const own = noted ? lineOf(noted) : 'lanehold: cannot tell, see `lanehold doctor`';
  const more = noted ? await sessionParts(here, noted.remembered, payload) : [];
  const line = cutFromTheRight(
    [own, ...more],
    Number(here.env.COLUMNS) || Number.POSITIVE_INFINITY,
  );
  return { noted, text: joined((await theirs) ?? '', line) };
}

/** For the session of an agent: `38 sessions`, `412 notes`, `turn 12`, `41 % context`. */
async function sessionParts(
  { store }: Here,
  { sessions, notes }: QuickStatus['remembered'],
  payload: JsonObject | undefined,
): Promise<string[]> {
  const session = at.text(payload, 'session_id');
  if (session === undefined) return [];
  const agents = JSON.stringify(AGENTS.map(({ name }) => name));
  const turn =
    session && sessions > 0 ? (observationStore(await store()).prompts(session, agents) ?? 0) : 0;
  const used = at.number(at.object(payload, 'context_window'), 'used_percentage');
  const counted = (count: number, noun: string) =>
    count === 0 ? [] : [count < MOST_COUNTED ? plural(count, noun) : `1,000+ ${noun}s`];
  return [
    ...counted(sessions, 'session'),
    ...counted(notes, 'note'),
    ...(turn === 0 ? [] : [`turn ${turn}`]),
    ...(used === undefined ? [] : [`${Math.round(used)} % context`]),
  ];
}

const MOST_COUNTED = 1_000;

/** Counts are left out whole; the first part is cut. */
function cutFromTheRight([first = '', ...more]: readonly string[], columns: number): string {
  const line = [first, ...more].join(' \u00b7 ');
  if (line.length <= columns) return line;
  return more.length > 0
    ? cutFromTheRight([first, ...more.slice(0, -1)], columns)
    : `${[...first].slice(0, columns - 1).join('')}\u2026`;
}

const WRAPPED_MS = 3_000;
const WRAPPED_BYTES = 65_536;

/** The output of the user's own line as the agent would show it: empty if it fails or takes too long. */
export async function outputOf(
  command: string,
  { env, cwd }: Pick<Here, 'env' | 'cwd'>,
  input: string,
): Promise<string> {
  const limits = { timeoutMs: WRAPPED_MS, maxOutputBytes: WRAPPED_BYTES };
  const outcome = await run('/bin/sh', ['-c', command], { cwd, env, input, ...limits });
  const isShown = outcome.kind === 'exited' && outcome.exitCode === 0;
  return isShown ? outcome.stdout.toString('utf8') : '';
}

/** Joins both lines; a colour of the first does not continue in the second. */
function joined(theirs: string, own: string): string {
  if (theirs === '') return own;
  const reset = theirs.includes('\u001b[') ? '\u001b[0m' : '';
  return `${theirs.endsWith('\n') ? theirs : `${theirs}\n`}${reset}${own}`;
}

const MOST_NAMED = 3;

/** Words for the states of lanes that need a person. */
const WAITS: Readonly<Partial<Record<LaneState, string>>> = {
  asks: 'asks',
  failed: 'failed',
  untested: 'untested',
  conflict: 'conflict',
  culprit: 'breaks the others',
};

/** One line for the status bar of an agent, or a shell prompt. */
export function lineOf({ pending, pushes, files, lanes, disabled, gaps }: QuickStatus): string {
  if (disabled) return 'lanehold: off (LANEHOLD_DISABLE=1)';
  const unguarded = [...new Set(gaps.map(({ agent }) => agent))];
  const names = pending.map(({ feature }) => feature);
  const held = pushes.map(({ source }) => shortRef(source));
  const waiting = lanes.flatMap(({ key, state }) =>
    WAITS[state] === undefined ? [] : [`${key} ${WAITS[state]}`],
  );
  const working = lanes.filter(({ state }) => is('moving', state)).length;
  const parts = [
    ...(unguarded.length === 0 ? [] : [`unguarded: ${enumerated(unguarded, MOST_NAMED)}`]),
    ...(waiting.length === 0 ? [] : [`waits for you: ${enumerated(waiting, MOST_NAMED)}`]),
    ...(names.length === 0 ? [] : [`${names.length} to verify: ${enumerated(names, MOST_NAMED)}`]),
    ...(held.length === 0 ? [] : [`held push: ${enumerated(held, MOST_NAMED)}`]),
    ...(files === null ? [] : [`held last: ${files}`]),
    ...(working === 0 ? [] : [`${plural(working, 'lane')} at work`]),
  ];
  return `lanehold: ${parts.join('; ') || 'nothing to verify'}`;
}

export type QuickStatus = Awaited<ReturnType<typeof quickStatus>>;

/** The status without a confirmation by git. Without a database nothing is noted, and none is made. */
export async function quickStatus({ env, cwd, now, store: open }: Here) {
  const place = projectPlace(cwd);
  const { identity, root } = place;
  const here = { env, root, now: now(), program: () => programName(env) };
  const branch = branchAt(place);
  const disabled = env.LANEHOLD_DISABLE === '1';
  const store = existsSync(homeOf(env).database) ? await open() : undefined;
  const gaps = await hookGaps(here, store);
  const projectId = store && projectStore(store).find(identity);
  if (store === undefined || projectId === undefined) {
    const nothing = { pending: [], pushes: [], files: null, lanes: [] };
    return { root, ...nothing, disabled, gaps, remembered: { sessions: 0, notes: 0 } };
  }
  const pending = pendingStore(store).ofWorktree(projectId, root);
  // A feature that is pending here is also held in the branch that is checked out.
  const said = new Set(pending.map(({ feature }) => feature));
  const isSaid = ({ source, features }: HeldPush): boolean =>
    source === branch && features.every(({ name }) => said.has(name));
  const pushes = notedPushes(store, projectId, now()).filter((it) => !isSaid(it));
  const lanes: readonly Pick<LaneView, 'key' | 'state'>[] = runStore(store)
    .open(projectId)
    .flatMap(({ id }) => laneStore(store).ofRun(id))
    .map(({ key, state }) => ({ key, state }));
  const files = pending.length + pushes.length === 0 ? heldFiles(store, projectId) : null;
  const remembered = {
    sessions: sessionStore(store).count(projectId) ?? 0,
    notes: recallStore(store).noteCount(projectId) ?? 0,
  };
  return { root, pending, pushes, files, lanes, disabled, gaps, remembered };
}

/** Files of no feature for which the last answer was a denial, from its text: nothing else records them. */
function heldFiles(store: Store, projectId: number): string | null {
  const [last] = decisionStore(store).latest(projectId, 1);
  const held = last?.decision === 'pass' ? [] : (last?.reason.match(/^- .*/gm) ?? []);
  return held.length === 1 ? (/files of no feature: .*/.exec(held[0] ?? '')?.[0] ?? null) : null;
}
