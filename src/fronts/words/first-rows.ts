/** The rows of the first view in a terminal: one for each need, lane and feature, in sections with a heading. Pure. */

import type { LaneOnBoard } from '../../app/lanes/runs.ts';
import type { FirstView } from '../../app/view/first.ts';
import { plural } from '../../base/text/printable.ts';
import { joined } from '../../lanes/look/note.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { whyAlone, wouldHold } from './hold.ts';
import { BANDS, needWord, type SignName } from './signs.ts';

export interface FirstRow {
  /** The same for the same thing in each reading. */
  readonly id: string;
  readonly sign: SignName;
  readonly subject: string;
  /** The text in place of the sign's usual word, if there is space. */
  readonly state?: string | undefined;
  /** The duration in one whole unit; empty if unknown. */
  readonly time: string;
  readonly isNeed?: true;
  /** It is in the last section, whose heading contains the state. */
  readonly isLeaving?: true;
  readonly text: string;
  /** The short form for narrow terminals, if it differs. */
  readonly short?: string;
  readonly whole: string;
  readonly commands: readonly string[];
  readonly lane?: LaneOnBoard | undefined;
}

export interface Section {
  readonly heading: string;
  readonly rows: readonly FirstRow[];
  /** The text of a section without space for rows; absent: rows are left out from its end. */
  readonly brief?: string;
  /** The text for left-out rows: `3 more`, and of what. */
  readonly more: string;
  /** The command that resolves all of it. */
  readonly command?: string;
  /** The block is also shown without rows. */
  readonly isAlways?: true;
}

type Seen = Pick<FirstView, 'at' | 'needs' | 'board' | 'leaving'>;

export const rowsOf = (view: FirstView): FirstRow[] => sectionsOf(view).flatMap(({ rows }) => rows);

export function sectionsOf(view: Seen): Section[] {
  const { needs, board } = view;
  const laneOf = (key: string | undefined, run: string | undefined) =>
    run === board?.run.name ? board?.lanes.find((it) => it.key === key) : undefined;
  const asking = needs.map((need): FirstRow => {
    const lane = laneOf(need.lane?.key, need.lane?.run);
    const { id, kind, subject, since, text, whole } = need;
    return {
      id,
      sign: kind,
      subject,
      state: needWord(kind, lane?.attempts.length ?? 0),
      time: since === null ? '' : ago(since, view.at, false),
      isNeed: true,
      text,
      whole,
      commands: need.commands.map(({ command }) => command),
      lane,
    };
  });
  const seen = new Set(asking.map(({ lane }) => lane?.key));
  const bands = BANDS.map(({ name, states }): Section => {
    const rows = (board?.lanes ?? [])
      .filter(({ key, state }) => !seen.has(key) && states.some((it) => it === state))
      .map((lane) => laneRow(lane, view.at));
    const word = name.toLowerCase();
    const brief = `${rows.length} ${word === 'proven' ? provenWord(rows) : word}`;
    return { heading: name, rows, more: word, ...(word === 'at work' ? {} : { brief }) };
  });
  return [{ heading: needsWord(view), rows: asking, more: '' }, ...bands, ...leavingSection(view)];
}

export function needsWord({ needs: { length } }: Pick<FirstView, 'needs'>): string {
  if (length === 0) return 'Nothing needs you';
  return length === 1 ? '1 needs you' : `${length} need you`;
}

/** The state that all of them have. */
function provenWord(rows: readonly FirstRow[]): string {
  const signs = new Set(rows.map(({ sign }) => sign));
  return signs.size === 1 ? [...signs].join() : 'proven';
}

function laneRow(lane: LaneOnBoard, now: Date): FirstRow {
  const { key, state, since, diff, doing, note, used, tests, help } = lane;
  const time = ago(since, now, is('moving', state));
  const ran = tests.ran === null ? '' : `${plural(tests.ran, 'test')} ran`;
  const fresh =
    tests.ran === null || tests.ranOnBase === null
      ? 0
      : Math.max(0, tests.ran - tests.ranOnBase + tests.removed.length);
  const size =
    diff === null || diff.added + diff.removed === 0 ? '' : `+${diff.added} −${diff.removed}`;
  const cost = used.usd > 0 ? money(used.usd) : '';
  const isProven = BANDS[2].states.some((it) => it === state);
  const said = isProven ? joined(', ', [ran, cost]) : (doing ?? note);
  const long = isProven ? joined(', ', [ran, fresh > 0 && `${fresh} new`, cost]) : said;
  return {
    id: `lane.${key}`,
    sign: state,
    subject: key,
    time,
    text: joined('  ', [size, long]),
    short: said,
    whole: note,
    commands: help,
    lane,
  };
}

function leavingSection({ leaving }: Seen): Section[] {
  if (leaving === null || leaving.features === 0) return [];
  const { features, held, uncovered, branch } = leaving;
  if (held.length + uncovered.length === 0) {
    const heading = wouldHold(0, features, branch);
    return [{ heading, rows: [], more: '', brief: heading, isAlways: true }];
  }
  const rows = held.map(({ feature, reason, changedFiles = [], why }): FirstRow => {
    const [file = ''] = changedFiles;
    const other = changedFiles.length > 1 ? ` and ${changedFiles.length - 1} more` : '';
    const isChanged = reason === 'changed-since' && file !== '';
    return {
      id: `leaving.${feature}`,
      sign: 'held',
      subject: feature,
      state: 'would be held',
      time: '',
      isLeaving: true,
      text: whyAlone(why, feature),
      ...(isChanged && { short: `changed: ${file}${other}` }),
      whole: why,
      commands: [`lanehold feature verify ${feature}`],
    };
  });
  if (held.length === 0) {
    const heading = `Held or asked about: ${uncovered.join('; ')}`;
    return [{ heading, rows, more: '', brief: heading, isAlways: true }];
  }
  const heading = wouldHold(held.length, features, branch);
  const brief = `${held.length} held`;
  return [{ heading, rows, more: 'held', brief, command: 'lanehold feature verify --pending' }];
}

const MINUTE = 60_000;

/** One whole unit, so that a line changes rarely. */
export function ago(since: Date, now: Date, isAtWork: boolean): string {
  const ms = Math.max(0, now.getTime() - since.getTime());
  if (ms < MINUTE) return isAtWork ? `${Math.floor(ms / 1_000)} s` : '<1 min';
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

export const money = (usd: number): string => `$${usd.toFixed(2)}`;
