import { preparedOnce, type Store } from './open.ts';
import { type Row, rowFormat } from './rows.ts';

/** The breaker of an account whose quota is used up: no worker starts on it before `resumeAt`. */
export interface Breaker {
  readonly account: string;
  readonly resumeAt: Date;
  readonly evidence: string;
  readonly openedAt: Date;
  /** The attempt that tries the account after that time; the others wait for it. */
  readonly probeAttempt: string | null;
}

const BREAKER = rowFormat<Breaker>({
  account: 'plain',
  resumeAt: 'date',
  evidence: 'plain',
  openedAt: 'date',
  probeAttempt: 'plain',
});

export const breakerStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  // A time that was noted before the clock was set back does not count.
  const open = db.prepare<[account: string, resumeAt: number, evidence: string, at: number]>(
    `INSERT INTO breakers (account, resume_at, evidence, opened_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       resume_at = CASE WHEN opened_at > excluded.opened_at THEN excluded.resume_at
                        ELSE max(resume_at, excluded.resume_at) END,
       evidence = excluded.evidence, probe_attempt = NULL, opened_at = excluded.opened_at`,
  );
  const get = db.prepare<[account: string], Row>('SELECT * FROM breakers WHERE account = ?');
  const all = db.prepare<[], Row>('SELECT * FROM breakers ORDER BY account');
  const probe = db.prepare<[attemptId: string, account: string]>(
    'UPDATE breakers SET probe_attempt = ? WHERE account = ?',
  );
  const hurry = db.prepare<[at: number, account: string]>(
    'UPDATE breakers SET resume_at = min(resume_at, ?) WHERE account = ?',
  );
  const close = db.prepare<[account: string]>('DELETE FROM breakers WHERE account = ?');
  return {
    open: (account: string, resumeAt: Date, evidence: string, now: Date): void =>
      void open.run(account, resumeAt.getTime(), evidence, now.getTime()),
    get: (account: string): Breaker | undefined => BREAKER.found(get.get(account)),
    all: (): Breaker[] => all.all().map(BREAKER.fromRow),
    probe: (account: string, attemptId: string): void => void probe.run(attemptId, account),
    /** Lets the next attempt try at once. */
    hurry: (account: string, now: Date): void => void hurry.run(now.getTime(), account),
    close: (account: string): void => void close.run(account),
  };
}

/** When a worker's account last answered. */
export const accountAnswerStore = preparedOnce(prepareAnswers);

function prepareAnswers({ db }: Store) {
  const note = db.prepare<[account: string, at: number]>(
    `INSERT INTO account_answers (account, at) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at`,
  );
  const last = db.prepare<[account: string], { at: number }>(
    'SELECT at FROM account_answers WHERE account = ?',
  );
  const forget = db.prepare<[account: string]>('DELETE FROM account_answers WHERE account = ?');
  return {
    note: (account: string, now: Date): void => void note.run(account, now.getTime()),
    last(account: string): Date | undefined {
      const row = last.get(account);
      return row && new Date(row.at);
    },
    /** The account is over its limit: earlier answers no longer count. */
    forget: (account: string): void => void forget.run(account),
  };
}
