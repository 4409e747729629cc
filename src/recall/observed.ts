/** What hooks observe of a session, in the form in which it is added to the database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../base/files/home.ts';
import { leaveFile, sessionFileName } from '../base/files/left-file.ts';
import { type Observation, observationStore, type Seen } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { projectStore } from '../store/projects.ts';
import { sessionStore } from '../store/sessions.ts';
import { EMPTY_OBSERVATION } from './actions.ts';
import type { SessionName } from './summaries.ts';

export interface Observed extends Partial<Omit<Seen, 'at' | 'kind'>> {
  readonly kind: Seen['kind'];
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  /** Identity of the project, and root of the working tree. */
  readonly project: string;
  readonly root: string;
  /** It contains the outcome of a call that was recorded before. */
  readonly settles?: true;
}

/** Call it inside a write transaction. */
export function addObserved(store: Store, observed: Observed): void {
  const { project, root, settles, at: ms, ...seen } = observed;
  const at = new Date(ms);
  const projects = projectStore(store);
  const projectId = projects.find(project) ?? projects.ensure(project, at);
  const observations = observationStore(store);
  const { agent, session, kind } = seen;
  const whole = { ...EMPTY_OBSERVATION, source: null, ...seen, at, projectId } as Observation;
  const open = settles && observations.openCall(agent, session, kind, whole.name ?? '');
  if (open === undefined) observations.add(whole);
  else observations.settle(open as number, whole.outcome, whole.outputBytes);
  const sessions = sessionStore(store);
  if (kind === 'end') sessions.end(agent, session, whole.name ?? '', at);
  else sessions.seen({ agent, id: session, projectId, worktree: root, head: undefined }, at);
}

const unrecordedFile = ({ unrecorded }: Home, { agent, session }: SessionName): string =>
  join(unrecorded, `${agent}-${sessionFileName(session)}.jsonl`);

export const leaveUnrecorded = (home: Home, who: SessionName): void =>
  leaveFile(unrecordedFile(home, who), '');

export const isUnrecorded = (home: Home, who: SessionName): boolean =>
  existsSync(unrecordedFile(home, who));
