import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** The breaker of an account whose quota is used up: no worker starts on it before `resumeAt`. */
export type Breaker = RowOf<typeof BREAKER>;

const BREAKER = rowFormat({
  account: is.text,
  resumeAt: is.date,
  evidence: is.text,
  openedAt: is.date,
  /** The attempt that tries the account after that time; the others wait for it. */
  probeAttempt: is.orNull(is.text),
});

export const breakerStore = tableStore(BREAKER, ({ all, one, writing }) => ({
  // A time that was noted before the clock was set back does not count.
  open: writing<[account: string, resumeAt: Date, evidence: string, now: Date]>(`
     INSERT INTO breakers (account, resume_at, evidence, opened_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       resume_at = CASE WHEN opened_at > excluded.opened_at THEN excluded.resume_at
                        ELSE max(resume_at, excluded.resume_at) END,
       evidence = excluded.evidence, probe_attempt = NULL, opened_at = excluded.opened_at`),
  get: one<[account: string]>('SELECT * FROM breakers WHERE account = ?'),
  all: all<[]>('SELECT * FROM breakers ORDER BY account'),
  probe: writing<[account: string, attemptId: string]>(
    'UPDATE breakers SET probe_attempt = ?2 WHERE account = ?1',
  ),
  /** Lets the next attempt try at once. */
  hurry: writing<[account: string, now: Date]>(
    'UPDATE breakers SET resume_at = min(resume_at, ?2) WHERE account = ?1',
  ),
  close: writing<[account: string]>('DELETE FROM breakers WHERE account = ?'),
}));

/** When a worker's account last answered. */
export const accountAnswerStore = tableStore(null, ({ value, writing }) => {
  const last = value<[account: string], number>('SELECT at FROM account_answers WHERE account = ?');
  return {
    note: writing<[account: string, now: Date]>(`
      INSERT INTO account_answers (account, at) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at`),
    last(account: string): Date | undefined {
      const at = last(account);
      return at === undefined ? undefined : new Date(at);
    },
    /** The account is over its limit, so earlier answers no longer count. */
    forget: writing<[account: string]>('DELETE FROM account_answers WHERE account = ?'),
  };
});
