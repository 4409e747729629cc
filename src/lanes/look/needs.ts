/** The needs of a run for a person, as data; each front has its own words. */
import { join } from 'node:path';
import { enumerated, plural, printableLine } from '../../base/text/printable.ts';
import { clock } from '../../base/text/time.ts';
import { flagWords } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { excerpt } from './attempt-log.ts';
import type { Board, LaneCard } from './board.ts';
import {
  answersTo,
  isBaseless,
  isStopped,
  joined,
  nextCommands,
  noteOn,
  refusalOf,
  runSteps,
} from './note.ts';

/** The kinds, in the order in which they are shown. */
export const NEED_KINDS = [
  'asks',
  'look',
  'pick',
  'held',
  'conflict',
  'culprit',
  'failed',
  'untested',
  'blocked',
  'parked',
  'stale',
  'taken-back',
  'baseless',
  'next',
  'unguarded',
  'account',
  'proposals',
  'suggestions',
] as const;

export type NeedKind = (typeof NEED_KINDS)[number];

export interface Need {
  /** Stays equal until the subject changes; the page has it in its address. */
  readonly id: string;
  readonly kind: NeedKind;
  /** The subject: the key of a lane, `main → origin`, the name of an agent. */
  readonly subject: string;
  /** `null`: unknown. */
  readonly since: Date | null;
  /** One line. */
  readonly text: string;
  /** The full text, if it is longer. */
  readonly whole: string;
  /** The commands that answer it, the usual one first. */
  readonly commands: readonly NeedCommand[];
  /** `null` if it is about no lane. */
  readonly lane: {
    readonly run: string;
    readonly key: string;
    readonly task: string;
    readonly agent: string;
    /** Number of its last attempt. */
    readonly attempt: number | null;
    readonly seconds: number | null;
    readonly usd: number;
    /** The number of its question, if it asks. */
    readonly question: number | null;
    /** The end of its worker's text and actions. */
    readonly before: readonly string[];
  } | null;
}

interface NeedCommand {
  readonly command: string;
  /** `person`: an agent is not allowed to answer it, so it is typed in a terminal. */
  readonly by: 'anyone' | 'person';
}

const ONLY_A_PERSON = / (?:--accept|--attest|feature waive|uninstall)\b/;

export const needCommands = (commands: readonly string[]): NeedCommand[] =>
  commands.map((command) => ({ command, by: ONLY_A_PERSON.test(command) ? 'person' : 'anyone' }));

/** The needs, the longest waiting ones first in each kind. */
export function inOrder(needs: readonly Need[]): Need[] {
  const time = ({ since }: Need) => since?.getTime() ?? Number.POSITIVE_INFINITY;
  const rank = ({ kind }: Need) => NEED_KINDS.indexOf(kind);
  return needs.toSorted((one, other) => rank(one) - rank(other) || time(one) - time(other));
}

export function needsOfRun(board: Board): Need[] {
  const lanes = board.lanes.flatMap((card) => needsOfLane(board, card));
  const closed = board.breakers.filter(({ resumeAt }) => resumeAt > board.at);
  const accounts = closed.map(({ account, openedAt, resumeAt, evidence }): Need => {
    const parked = board.lanes.filter(({ state, parked: it }) => state === 'parked' && it);
    const commands = parked.flatMap((card) => nextCommands(board, card)).slice(0, 1);
    return {
      id: `account.${account}`,
      kind: 'account',
      subject: account,
      since: openedAt,
      text: `used up until ${clock(resumeAt, board.at)}`,
      whole: evidence,
      commands: needCommands(commands),
      lane: null,
    };
  });
  const needs = [...lanes, ...accounts];
  return needs.length > 0 ? needs : nextNeed(board);
}

/** The next step of a run that does not continue without a person. */
function nextNeed(board: Board): Need[] {
  const { run, lanes, runOption } = board;
  const isMoving = lanes.some(({ state }) => is('moving', state) || is('due', state));
  const steps = run.intent === 'active' && !isMoving ? runSteps(board) : [];
  if (steps.length === 0) return [];
  return [
    {
      id: `next.${run.name}`,
      kind: 'next',
      subject: run.name,
      since: new Date(Math.max(...lanes.map(({ since }) => since.getTime()))),
      text: steps.map(([text]) => text).join('; '),
      whole: '',
      commands: needCommands(steps.map(([, it]) => `lanehold orchestrate ${it}${runOption}`)),
      lane: null,
    },
  ];
}

function needsOfLane(board: Board, card: LaneCard): Need[] {
  const { key, attempt, questions } = card;
  const need = (kind: NeedKind, text: string, more: Partial<Need> = {}): Need => ({
    id: `${kind}.${board.run.name}.${key}`,
    kind,
    subject: key,
    since: card.since,
    text: printableLine(text.trimStart().split('\n', 1)[0] ?? '', 400),
    whole: noteOn(card, board.at),
    commands: needCommands(nextCommands(board, card)),
    lane: {
      run: board.run.name,
      key,
      task: card.desc,
      agent: attempt?.agent ?? card.spec.agent,
      attempt: attempt?.n ?? null,
      seconds:
        attempt && ((attempt.endedAt ?? board.at).getTime() - attempt.startedAt.getTime()) / 1_000,
      usd: card.used.usd,
      question: null,
      before: [],
    },
    ...more,
  });
  const answers = answersTo(board, card);
  const asked = questions.map(({ number, body, at }, place): Need => {
    const asks = need('asks', body, {
      id: `asks.${board.run.name}.${key}.${number}`,
      since: at,
      whole: joined('\n', [body, refusalOf(card)]),
    });
    const before = attempt === null ? [] : excerpt(join(attempt.dir, 'stdout.log'), MOST_BEFORE);
    const commands = needCommands(answers.slice(place, place + 1));
    return { ...asks, commands, lane: asks.lane && { ...asks.lane, question: number, before } };
  });
  return [...asked, ...stateNeed(card, need)];
}

const MOST_BEFORE = 6;
const MOST_NAMES = 3;

type Make = (kind: NeedKind, text: string, more?: Partial<Need>) => Need;

function stateNeed(card: LaneCard, need: Make): Need[] {
  if (isStopped(card)) {
    const words = card.flags
      .filter(({ stops }) => stops)
      .map(flagWords)
      .join(', ');
    return [need('look', goneText(card) ?? words, { whole: words })];
  }
  if (isBaseless(card)) return [need('baseless', `${card.base?.command}: ${card.base?.why}`)];
  if (card.state === 'verified' && card.rivals.length > 0)
    return [need('pick', `one of ${card.rivals.length + 1} tries`)];
  const kind = NEED_KINDS.find((it) => it === card.state);
  const text = kind && TEXTS[kind]?.(card);
  return kind === undefined || text === undefined ? [] : [need(kind, text)];
}

function goneText({ tests: { removed } }: LaneCard): string | undefined {
  const files = [...new Set(removed.map((it) => it.split(' > ')[0] ?? ''))];
  const gone = `${plural(removed.length, 'test')} gone from ${enumerated(files, 1)}`;
  return removed.length === 0 ? undefined : gone;
}

/** `undefined`: nobody is needed. */
type TextOf = (card: LaneCard) => string | undefined;

const failureText: TextOf = ({ tests: { failed }, attempt, verdict }) => {
  const names = failed.map((it) => it.split(' > ').at(-1) ?? it);
  const failures = names.length === 1 ? 'new failure' : `${names.length} new failures`;
  if (names.length > 0) return `${failures}: ${enumerated(names, MOST_NAMES)}`;
  return attempt?.endDetail ?? verdict?.why ?? 'no reason is recorded';
};

/** The texts of states that are needs themselves. */
const TEXTS: Readonly<Partial<Record<NeedKind, TextOf>>> = {
  conflict: ({ refused }) =>
    `with ${others(refused?.with)} in ${enumerated(refused?.paths ?? [], 2)}`,
  culprit: ({ refused }) => {
    const [first] = refused?.failures ?? [];
    return `fails with ${others(refused?.with)}${first === undefined ? '' : `: ${first}`}`;
  },
  failed: failureText,
  untested: failureText,
  blocked: ({ blocked }) => blocked ?? '',
  stale: () => 'its task, its validation or what it builds on has changed',
  'taken-back': ({ integration }) => integration?.detail ?? 'it is out of the target',
  parked: ({ parked }) => {
    const goesOn = parked === null || parked.until !== null || ALONE.has(parked.cause ?? '');
    return goesOn ? undefined : parked.why;
  },
};

/** Causes after which a lane continues automatically. */
const ALONE: ReadonlySet<string> = new Set(['disk', 'setup']);

const others = (keys: readonly string[] = []): string =>
  keys.length === 0 ? 'what is integrated' : enumerated(keys, MOST_NAMES);
