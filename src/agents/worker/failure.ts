/** The kind of a failure, from the agent's name for it, else the service's HTTP status, else words of the message. */
import { resumeTime } from './quota.ts';
import type { OutcomeKind, WorkerOutcome } from './worker.ts';

export type FailureKind = Exclude<OutcomeKind, 'ok' | 'empty'>;

export interface Failure {
  readonly message: string;
  /** The agent's own name for it, if it is unambiguous. */
  readonly kind?: FailureKind | undefined;
  readonly status?: number | undefined;
  /** When the limit ends, if the agent reports that apart from the message. */
  readonly resumeAt?: Date | undefined;
}

/** The order counts: a full context is reported as a bad request. */
const WORDS: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'context-overflow',
    /prompt is too long|input (?:is )?too long|context[_ ](?:window|length)|maximum context|exceeds? the (?:model'?s )?context|ran out of room in the model/i,
  ],
  [
    'quota',
    /(?:usage|session|weekly|daily|monthly|hourly|spend(?:ing)?|request|token) limit|limit reached|hit your (?:\w+ )?limit|rate[_ -]?limit|quota|too many requests|resource[_ ]exhausted|out of (?:credits|(?:extra )?usage)|credit balance|insufficient[_ ](?:quota|credits|funds)|billing (?:error|details|limit|period|issue)/i,
  ],
  [
    'auth',
    /authenticat|unauthori[sz]ed|invalid (?:x-)?api[ -]key|api[ -]key (?:not|is (?:not|missing|invalid))|no api[ -]key|not logged in|please (?:log|sign) ?in|log ?in (?:again|required)|run \S* ?\/?login|(?:token|credentials?|session) (?:has |have )?expired|set an auth method/i,
  ],
  [
    'budget',
    /max(?:imum)?(?: number of)?[ _-](?:session )?turns|turn limit|max[_ -]budget|budget (?:was |is )?(?:reached|exceeded)/i,
  ],
  [
    'transient',
    /overloaded|internal server error|bad gateway|service unavailable|gateway time-?out|server[_ -](?:side )?(?:error|issue)|timed? ?out|econn(?:reset|refused|aborted)|enotfound|etimedout|eai_again|epipe|fetch failed|socket hang up|network (?:error|is unreachable)|could not resolve|connection (?:error|reset|refused|closed|lost|failed)|stream (?:disconnected|closed|error)|reconnecting|temporar(?:y|ily)|high demand|try again (?:in a moment|later)/i,
  ],
  [
    'refused',
    /usage polic|content polic|acceptable use|violat\w* (?:our|the|of)|flagged (?:for|as)|blocked by (?:a )?(?:safety|policy|content)|prohibited[_ ]content|safety (?:filter|stop|reasons)/i,
  ],
];

/** Kinds that services report with any status, so that their words count more. */
const STRONGER_THAN_STATUS: readonly FailureKind[] = ['context-overflow', 'quota'];

export function failureKind({ kind, status, message }: Failure): FailureKind {
  if (kind !== undefined) return kind;
  const words = wordsKind(message);
  const byStatus = status === undefined ? undefined : statusKind(status);
  if (words !== undefined && STRONGER_THAN_STATUS.includes(words)) {
    // A failing server may mention a limit; its failure is transient all the same.
    return byStatus === 'transient' && words === 'quota' ? 'transient' : words;
  }
  return byStatus ?? words ?? 'crashed';
}

/** `undefined` if no known words are in the message. */
export function wordsKind(message: string): FailureKind | undefined {
  const tail = message.slice(-LOOKED_AT);
  return WORDS.find(([, pattern]) => pattern.test(tail))?.[0];
}

/** The end of a program's output has the reason; this many characters of it are kept. */
const LOOKED_AT = 8_000;

function statusKind(status: number): FailureKind | undefined {
  if (status === 429 || status === 402) return 'quota';
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 409 || status === 425) return 'transient';
  if (status === 413) return 'context-overflow';
  return status >= 500 && status <= 599 ? 'transient' : undefined;
}

export function failed(failure: Failure, now: Date): WorkerOutcome {
  const kind = failureKind(failure);
  const evidence = evidenceOf(failure.message);
  if (kind !== 'quota') return { kind, evidence };
  return { kind, resumeAt: failure.resumeAt ?? resumeTime(failure.message, now), evidence };
}

const EVIDENCE_CHARS = 500;

/** The end of a message, on one line. */
export function evidenceOf(message: string): string {
  const line = message
    .slice(-4 * EVIDENCE_CHARS)
    .replaceAll(/[\0\s]+/g, ' ')
    .trim();
  return line.length <= EVIDENCE_CHARS ? line : `…${line.slice(1 - EVIDENCE_CHARS)}`;
}
