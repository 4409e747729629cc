/** What hooks observe of a session, as it is added to the database. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import { type Observation, observationStore, type Seen } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { projectStore } from '../store/projects.ts';
import { sessionStore } from '../store/sessions.ts';
import { EMPTY_OBSERVATION } from './actions.ts';
import type { SessionName } from './summaries.ts';

export interface Observed extends Partial<Omit<Seen, 'at' | 'kind'>> {
  readonly kind: Seen['kind'];
  /** Milliseconds. */
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  /** Identity of the project, and root of the working tree. */
  readonly project: string;
  readonly root: string;
  /** It tells the outcome of a call that was noted before. */
  readonly settles?: true;
}

/** Call it inside a write. */
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

/** A session id can be any text. */
const unrecordedFile = ({ unrecorded }: Home, { agent, session }: SessionName): string =>
  join(unrecorded, `${agent}-${session.slice(0, 100).replaceAll(/[^\w-]/g, '_')}.jsonl`);

/** A folder that cannot be written must not fail a hook. */
export function leaveUnrecorded(home: Home, who: SessionName): void {
  attempt(() => {
    makePrivateFolder(home.unrecorded);
    closeSync(openSync(unrecordedFile(home, who), 'a', 0o600));
  });
}

export const isUnrecorded = (home: Home, who: SessionName): boolean =>
  existsSync(unrecordedFile(home, who));
