/** What each state of a lane means to those who ask for it: a new state is decided on here, for all of them. */
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

export const is = (trait: Trait, state: LaneState): boolean => TRAITS[state].includes(trait);
