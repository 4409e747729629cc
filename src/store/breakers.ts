import { preparedOnce, type Store } from './open.ts';

/** An account whose quota is used up: nobody starts a worker on it before `resumeAt`. */
export interface Breaker {
  readonly account: string;
  readonly resumeAt: Date;
  readonly evidence: string;
  readonly openedAt: Date;
  /** After the time, one attempt finds out for all. */
  readonly probeAttempt: string | null;
}

type BreakerRow = {
  account: string;
  resume_at: number;
  evidence: string;
  opened_at: number;
  probe_attempt: string | null;
};

export const breakerStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  // A time that was told before the clock was set back is of no account beside one of today.
  const open = db.prepare<[account: string, resumeAt: number, evidence: string, at: number]>(
    `INSERT INTO breakers (account, resume_at, evidence, opened_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       resume_at = CASE WHEN opened_at > excluded.opened_at THEN excluded.resume_at
                        ELSE max(resume_at, excluded.resume_at) END,
       evidence = excluded.evidence, probe_attempt = NULL, opened_at = excluded.opened_at`,
  );
  const get = db.prepare<[account: string], BreakerRow>('SELECT * FROM breakers WHERE account = ?');
  const all = db.prepare<[], BreakerRow>('SELECT * FROM breakers ORDER BY account');
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
    get(account: string): Breaker | undefined {
      const row = get.get(account);
      return row ? toBreaker(row) : undefined;
    },
    all: (): Breaker[] => all.all().map(toBreaker),
    probe: (account: string, attemptId: string): void => void probe.run(attemptId, account),
    /** Somebody knows better: who starts next finds out for all. */
    hurry: (account: string, now: Date): void => void hurry.run(now.getTime(), account),
    close: (account: string): void => void close.run(account),
  };
}

function toBreaker(row: BreakerRow): Breaker {
  return {
    account: row.account,
    resumeAt: new Date(row.resume_at),
    evidence: row.evidence,
    openedAt: new Date(row.opened_at),
    probeAttempt: row.probe_attempt,
  };
}
