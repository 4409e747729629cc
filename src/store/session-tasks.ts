import { shortened } from '../base/text/quoting.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type SessionTaskStatus = 'pending' | 'in_progress' | 'completed' | 'dropped';

export interface TaskSession {
  readonly agent: string;
  readonly session: string;
  readonly projectId: number;
}

const TASK = {
  id: is.text,
  title: is.text,
  status: is.plain<SessionTaskStatus>(),
  at: is.date,
};

/** A task on an agent's own list. */
export type SessionTask = Pick<ListedTask, keyof typeof TASK>;

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

/** The most tasks that are stored for a session. */
export const MOST_TASKS = 200;
const MOST_CHARS = 500;

type ListedTask = RowOf<typeof LISTED>;
const LISTED = rowFormat({ agent: is.text, session: is.text, ...TASK });

/** The task lists of agents, as last seen. Texts are redacted by the caller. */
export const sessionTaskStore = tableStore(LISTED, ({ all, writing }) => {
  const write = writing<[TaskSession & TaskNews & { at: Date; most: number }]>(`
     INSERT INTO session_tasks (agent, session, id, project_id, position, title, status, at, seq)
     SELECT :agent, :session, :id, :projectId, coalesce(max(position), 0) + 1,
            coalesce(:title, 'task ' || :id), coalesce(:status, 'pending'), :at,
            1 + coalesce((SELECT max(seq) FROM session_tasks), 0)
       FROM session_tasks WHERE agent = :agent AND session = :session
     HAVING count(*) < :most OR :id IN (
       SELECT id FROM session_tasks WHERE agent = :agent AND session = :session)
     ON CONFLICT DO UPDATE SET title = coalesce(:title, title),
       status = coalesce(:status, status), at = :at, seq = excluded.seq`);
  const clear = writing<[TaskSession]>(
    'DELETE FROM session_tasks WHERE agent = :agent AND session = :session',
  );
  const lately = all<[projectId: number, since: Date]>(`
      SELECT t.agent, t.session, t.id, t.title, t.status, t.at FROM session_tasks AS t
       JOIN (SELECT agent, session, max(seq) AS last FROM session_tasks
              WHERE project_id = ? AND at >= ? AND session NOT IN (
                SELECT session_id FROM attempts WHERE session_id IS NOT NULL)
              GROUP BY agent, session) AS s
         ON s.agent = t.agent AND s.session = t.session
      ORDER BY s.last DESC, t.agent, t.session, t.position`);
  const ofSessions = all<[projectId: number, sessions: readonly string[]]>(`
      SELECT ${LISTED.names} FROM session_tasks
      WHERE project_id = ? AND session IN (SELECT value FROM json_each(?))
      ORDER BY agent, session, position`);
  const ofSession = all<[agent: string, session: string]>(
    `SELECT ${LISTED.names} FROM session_tasks WHERE agent = ? AND session = ? ORDER BY position`,
  );
  const put = (session: TaskSession, { id, title, status }: TaskNews, now: Date): void => {
    const clippedId = id.slice(0, MOST_CHARS);
    const news = { id: clippedId, title: title && shortened(title, MOST_CHARS), status };
    write({ ...session, ...news, at: now, most: MOST_TASKS });
  };
  return {
    /** Stores new facts of one task; a session's first 200 tasks are stored. */
    put,
    /** Replaces the whole list, for agents that write it in full. Call it in a write. */
    replace(session: TaskSession, tasks: readonly Omit<TaskNews, 'id'>[], now: Date): void {
      clear(session);
      for (const [at, task] of tasks.slice(0, MOST_TASKS).entries()) {
        put(session, { ...task, id: String(at + 1) }, now);
      }
    },
    ofSession: (agent: string, session: string) => ofSession(agent, session).map(taskOf),
    /** Lists of the project that have changed since then, newest first, without those of workers. */
    ofCoordinators: (projectId: number, since: Date) => toLists(lately(projectId, since)),
    /** The lists of these conversations, of any agent. */
    ofSessions: (projectId: number, sessions: readonly string[]) =>
      toLists(ofSessions(projectId, sessions)),
  };
});

function toLists(listed: readonly ListedTask[]): SessionTaskList[] {
  const lists = Map.groupBy(listed, ({ agent, session }) => JSON.stringify([agent, session]));
  return [...lists.values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    return { agent: first.agent, session: first.session, tasks: list.map(taskOf) };
  });
}

const taskOf = ({ agent: _, session: __, ...task }: ListedTask): SessionTask => task;
