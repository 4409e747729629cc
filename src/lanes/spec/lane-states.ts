/**
 * What each state of a lane means to the code that depends on it, and the commands that continue the lane: a new state
 * is defined here, for all of them.
 */
import { shellQuoted } from '../../base/text/shell-quote.ts';
import type { EndCause } from '../../store/attempts.ts';
import type { LaneState } from '../../store/lanes.ts';

type Trait =
  | 'moving' // something happens to it without anybody's doing
  | 'unfinished' // its newest checkpoint may be newer than its commit
  | 'apart' // it has work that is not in the tip, and may conflict with others
  | 'wanted' // it will use the budget
  | 'startable' // a worker may start
  | 'verifiable' // a validation may start
  | 'due' // a reconcile looks whether to start it, and says why not
  | 'passed' // verified by itself, whether or not it fits with others
  | 'inside' // in the tip
  | 'over' // it writes nothing any more
  | 'settled' // nobody waits for it
  | 'told' // the coordinator is told once
  | 'stuck'; // a person decides how it goes on

const TRAITS: Readonly<Record<LaneState, readonly Trait[]>> = {
  planned: ['verifiable', 'settled'],
  waiting: ['wanted'],
  ready: ['wanted', 'startable', 'verifiable', 'due'],
  starting: ['moving', 'unfinished', 'apart'],
  running: ['moving', 'unfinished', 'apart'],
  validating: ['moving', 'unfinished', 'apart'],
  parked: ['unfinished', 'apart', 'wanted', 'startable', 'verifiable', 'due'],
  asks: ['unfinished', 'apart', 'verifiable'],
  blocked: ['verifiable', 'stuck'],
  failed: ['verifiable', 'told', 'stuck'],
  untested: ['apart', 'verifiable', 'told', 'stuck'],
  stale: ['apart', 'verifiable', 'due', 'stuck'],
  verified: ['apart', 'verifiable', 'passed', 'settled'],
  integrating: ['moving', 'apart', 'settled'],
  conflict: ['apart', 'verifiable', 'passed', 'told', 'stuck'],
  culprit: ['apart', 'verifiable', 'passed', 'told', 'stuck'],
  integrated: ['inside', 'over', 'settled'],
  landed: ['inside', 'over', 'settled'],
  'taken-back': ['verifiable', 'passed', 'stuck'],
  cancelled: ['over'],
};

/** A state as a clause, to stand after the name of a lane. */
export const stateClause = (state: LaneState): string =>
  state === 'asks' ? 'asks a question' : `is ${state}`;

export const is = (trait: Trait, state: LaneState): boolean => TRAITS[state].includes(trait);

/** The facts of a lane on which its next commands depend. */
export interface Standing {
  readonly key: string;
  readonly state: LaneState;
  /** Verified, with a flag that stops it. */
  readonly isStopped?: boolean;
  /** The task of which it is one of several tries, while none is picked. */
  readonly task?: string | undefined;
  /** Its validation proves nothing on its base. */
  readonly isBaseless?: boolean;
  /** Its validation differs from the one by which its last attempt was judged. */
  readonly isRejudged?: boolean;
  readonly isSupervised?: boolean;
  readonly endCause?: EndCause | null | undefined;
  readonly endDetail?: string | null | undefined;
  readonly questions?: readonly number[];
  /** Its pull request, while that is open. */
  readonly pull?: { readonly problem: string | null } | undefined;
}

type Ways = (lane: Standing) => readonly string[];

const atWork: Ways = ({ key, isSupervised }) =>
  isSupervised === false ? ['sync', `logs ${key}`] : [`logs ${key} -f`];

const again: Ways = ({ key }) => [`logs ${key}`, `retry ${key}`];

const rejudge: Ways = ({ key }) => [
  `verify ${key}`,
  `lane edit ${key} --validate 'COMMAND'`,
  `logs ${key}`,
];

const mendBase: Ways = ({ key, isBaseless }) =>
  isBaseless ? [`logs ${key}`, `lane edit ${key} --validate 'COMMAND'`] : [];

/** The commands for each state; the first one is the usual way. */
const WAYS: Readonly<Record<LaneState, Ways>> = {
  planned: (lane) => [...mendBase(lane), `spawn ${lane.key}`],
  waiting: mendBase,
  ready: mendBase,
  starting: atWork,
  running: atWork,
  validating: atWork,
  parked: ({ key }) => [`resume ${key}`],
  // A question needs a number only beside others.
  asks: ({ key, questions = [] }) =>
    questions.map((it, _, { length }) => {
      return `answer ${key}${length > 1 ? ` --question ${it}` : ''} 'ANSWER'`;
    }),
  blocked: ({ key }) => [`lane block ${key} --clear`],
  failed(lane) {
    const { key, endCause, endDetail } = lane;
    if (lane.isRejudged) return [`verify ${key}`, ...again(lane)];
    if (endCause !== 'scope') return again(lane);
    // The work may be fine: widening judges it again. Otherwise its worker reverts the changes.
    const paths = /^[^*?[\]{}()!+@|\\…]+$/.exec(endDetail ?? '')?.[0] ?? 'GLOB';
    const globs = paths.split(', ').map(shellQuoted);
    return [`lane widen ${key} --touches ${globs.join(' ')}`, `retry ${key}`];
  },
  untested: rejudge,
  stale: ({ key }) => [`verify ${key}`],
  verified({ key, task, isStopped, pull }) {
    if (task !== undefined) return [`lane compare ${task}`, `lane pick ${task} ${key}`];
    if (isStopped)
      return [
        `lane diff ${key}`,
        `retry ${key} --notes 'WHAT IS WRONG'`,
        `integrate --accept ${key}`,
      ];
    if (pull === undefined) return ['integrate'];
    // Its reviewer continues it.
    return pull.problem === null ? [] : [`lane pr ${key}`];
  },
  integrating: () => [],
  conflict: again,
  culprit: again,
  integrated: () => ['land'],
  landed: () => [],
  'taken-back': ({ key }) => [`integrate --lane ${key}`, `lane cancel ${key}`],
  cancelled: () => [],
};

/** @param runOption ` --run <name>` if commands need it. @returns commands that can be pasted. */
export const waysOn = (lane: Standing, runOption: string): string[] =>
  WAYS[lane.state](lane).map((words) => `lanehold orchestrate ${words}${runOption}`);

export const stateWords = (state: LaneState, isStopped: boolean): string =>
  isStopped ? `${state}, to be looked at` : state;
