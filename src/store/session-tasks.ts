import type { Store } from './open.ts';

export type SessionTaskStatus = 'pending' | 'in_progress' | 'completed' | 'dropped';

export interface TaskSession {
  readonly agent: string;
  readonly session: string;
  readonly projectId: number;
}

/** A task on an agent's own list. */
export interface SessionTask {
  readonly id: string;
  readonly title: string;
  readonly status: SessionTaskStatus;
  readonly at: Date;
}

/** The task list of one conversation, in the order of creation. */
export interface SessionTaskList {
  readonly agent: string;
  readonly session: string;
  readonly tasks: readonly SessionTask[];
}

/** New facts of a task; `undefined` leaves a field as it is. */
export interface TaskNews {
  readonly id: string;
  readonly title: string | undefined;
  readonly status: SessionTaskStatus | undefined;
}

type TaskRow = { id: string; title: string; status: SessionTaskStatus; at: number };
type ListRow = TaskRow & { agent: string; session: string };

/** The most tasks that are stored for a session. */
export const MOST_TASKS = 200;
const MOST_CHARS = 500;

/** The task lists of agents, as last seen. Texts are redacted by the caller. */
export function sessionTaskStore({ db }: Store) {
  const put = db.prepare<{
    agent: string;
    session: string;
    projectId: number;
    id: string;
    title: string | null;
    status: SessionTaskStatus | null;
    at: number;
    most: number;
  }>(
    `INSERT INTO session_tasks (agent, session, id, project_id, position, title, status, at)
     SELECT :agent, :session, :id, :projectId, coalesce(max(position), 0) + 1,
            coalesce(:title, 'task ' || :id), coalesce(:status, 'pending'), :at
       FROM session_tasks WHERE agent = :agent AND session = :session
     HAVING count(*) < :most OR :id IN (
       SELECT id FROM session_tasks WHERE agent = :agent AND session = :session)
     ON CONFLICT DO UPDATE SET title = coalesce(:title, title),
       status = coalesce(:status, status), at = :at`,
  );
  const clear = db.prepare<[agent: string, session: string]>(
    'DELETE FROM session_tasks WHERE agent = ? AND session = ?',
  );
  const ofSession = db.prepare<[agent: string, session: string], TaskRow>(
    `SELECT id, title, status, at FROM session_tasks WHERE agent = ? AND session = ?
      ORDER BY position`,
  );
  const lately = db.prepare<[projectId: number, since: number], ListRow>(
    `SELECT t.agent, t.session, t.id, t.title, t.status, t.at FROM session_tasks AS t
       JOIN (SELECT agent, session, max(at) AS last FROM session_tasks
              WHERE project_id = ? AND at >= ? AND session NOT IN (
                SELECT session_id FROM attempts WHERE session_id IS NOT NULL)
              GROUP BY agent, session) AS s
         ON s.agent = t.agent AND s.session = t.session
      ORDER BY s.last DESC, t.agent, t.session, t.position`,
  );
  const ofSessions = db.prepare<[projectId: number, sessions: string], ListRow>(
    `SELECT agent, session, id, title, status, at FROM session_tasks
      WHERE project_id = ? AND session IN (SELECT value FROM json_each(?))
      ORDER BY agent, session, position`,
  );
  const putOne = ({ agent, session, projectId }: TaskSession, task: TaskNews, now: Date): void => {
    const title = task.title === undefined ? null : clipped(task.title);
    const { id, status } = task;
    const at = now.getTime();
    put.run({
      agent,
      session,
      projectId,
      id: id.slice(0, MOST_CHARS),
      title,
      status: status ?? null,
      at,
      most: MOST_TASKS,
    });
  };
  return {
    /** Stores what is new of one task; a session's first 200 tasks are stored. */
    put: putOne,
    /** Replaces the whole list, for agents that write it so. Call it in a write. */
    replace(session: TaskSession, tasks: readonly Omit<TaskNews, 'id'>[], now: Date): void {
      clear.run(session.agent, session.session);
      for (const [at, task] of tasks.slice(0, MOST_TASKS).entries()) {
        putOne(session, { ...task, id: String(at + 1) }, now);
      }
    },
    ofSession: (agent: string, session: string): SessionTask[] =>
      ofSession.all(agent, session).map(toTask),
    /** Lists of the project that have changed since then, newest first, without those of workers. */
    ofCoordinators: (projectId: number, since: Date): SessionTaskList[] =>
      toLists(lately.all(projectId, since.getTime())),
    /** The lists of these conversations, of any agent. */
    ofSessions: (projectId: number, sessions: readonly string[]): SessionTaskList[] =>
      toLists(ofSessions.all(projectId, JSON.stringify(sessions))),
  };
}

function toLists(rows: readonly ListRow[]): SessionTaskList[] {
  const lists = new Map<string, SessionTaskList & { tasks: SessionTask[] }>();
  for (const { agent, session, ...row } of rows) {
    const key = JSON.stringify([agent, session]);
    const list = lists.get(key) ?? { agent, session, tasks: [] };
    list.tasks.push(toTask(row));
    lists.set(key, list);
  }
  return [...lists.values()];
}

/** Does not cut within a surrogate pair, which would be stored as a replacement character. */
function clipped(title: string): string {
  if (title.length <= MOST_CHARS) return title;
  return `${title.slice(0, MOST_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function toTask({ id, title, status, at }: TaskRow): SessionTask {
  return { id, title, status, at: new Date(at) };
}
