import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resumeTime } from '../../../src/agents/worker/quota.ts';

/** A Sunday; summer time ends in Berlin at the end of October, so it is one hour ahead of UTC. */
const NOW = new Date('2026-11-22T10:00:00Z');
const at = (text: string, zone = 'UTC') => resumeTime(text, NOW, zone)?.toISOString();

describe('a time of day', () => {
  test.each([
    ["You've hit your limit · resets 6:30pm", '2026-11-22T18:30:00.000Z'],
    ['usage limit reached, resets at 6pm', '2026-11-22T18:00:00.000Z'],
    ['resets 6 PM', '2026-11-22T18:00:00.000Z'],
    ['Your limit will reset at 12am', '2026-11-23T00:00:00.000Z'],
    ['resets 12:05 p.m.', '2026-11-22T12:05:00.000Z'],
    ['Try again at 18:45.', '2026-11-22T18:45:00.000Z'],
    ['try again at 6:30:15 PM UTC', '2026-11-22T18:30:15.000Z'],
    ['resets 9am', '2026-11-23T09:00:00.000Z'],
    ['resets 10:00am', '2026-11-23T10:00:00.000Z'],
    ['resets 6:30pm (Europe/Berlin)', '2026-11-22T17:30:00.000Z'],
    ['resets 6:30pm Europe/Berlin', '2026-11-22T17:30:00.000Z'],
    ['resets 3am (America/Los_Angeles)', '2026-11-22T11:00:00.000Z'],
    ['resets 1am (America/Los_Angeles)', '2026-11-23T09:00:00.000Z'],
    ['resets 7am (America/Argentina/Buenos_Aires)', '2026-11-23T10:00:00.000Z'],
    ['resets 8pm PST', '2026-11-23T04:00:00.000Z'],
    ['resets 18:00 UTC+2', '2026-11-22T16:00:00.000Z'],
    ['resets at 18:00 (GMT-03:30)', '2026-11-22T21:30:00.000Z'],
    ['resets 6pm (Nowhere/Land)', '2026-11-22T18:00:00.000Z'],
    ['available again at 23:00', '2026-11-22T23:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  test('is one of the given zone if it names none', () => {
    expect(at('resets 6:30pm', 'Europe/Berlin')).toBe('2026-11-22T17:30:00.000Z');
    expect(at('resets 6:30pm UTC', 'Europe/Berlin')).toBe('2026-11-22T18:30:00.000Z');
  });
});

describe('a span', () => {
  test.each([
    ['Try again in 3 hours 5 minutes.', '2026-11-22T13:05:00.000Z'],
    ['in 3 hours 5 minutes', '2026-11-22T13:05:00.000Z'],
    ['try again in 2 days, 3 hours and 1 minute', '2026-11-24T13:01:00.000Z'],
    ['Your quota will reset after 18h30m12s.', '2026-11-23T04:30:12.000Z'],
    ['Please retry in 34.5s', '2026-11-22T10:00:34.500Z'],
    ['"retryDelay": "34s"', '2026-11-22T10:00:34.000Z'],
    ['resets in an hour', '2026-11-22T11:00:00.000Z'],
    ['wait 250ms', '2026-11-22T10:00:00.250Z'],
    ['try again in 500 milliseconds', '2026-11-22T10:00:00.500Z'],
    ['Retry-After: 120', '2026-11-22T10:02:00.000Z'],
    ['"retry_after":30', '2026-11-22T10:00:30.000Z'],
    ['retry-after-ms: 1500', '2026-11-22T10:00:01.500Z'],
    ['{"resets_in_seconds": 7200}', '2026-11-22T12:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });
});

describe('a date', () => {
  test.each([
    ['Claude AI usage limit reached|1795357800', '2026-11-22T14:30:00.000Z'],
    ['limit reached|1795357800000', '2026-11-22T14:30:00.000Z'],
    ['"resets_at":1795357800,', '2026-11-22T14:30:00.000Z'],
    ['resets at 2026-11-23T08:00:00Z', '2026-11-23T08:00:00.000Z'],
    ['resets at 2026-11-23T08:00:00.123+02:00', '2026-11-23T06:00:00.000Z'],
    ['resets 2026-11-23 08:15', '2026-11-23T08:15:00.000Z'],
    ['resets on 2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['resets Nov 25, 6pm', '2026-11-25T18:00:00.000Z'],
    ['resets Nov 25 at 6:30pm (America/New_York)', '2026-11-25T23:30:00.000Z'],
    ['try again at Nov 25th, 2026 6:30 PM.', '2026-11-25T18:30:00.000Z'],
    ['resets 25 November 2026, 07:00', '2026-11-25T07:00:00.000Z'],
    ['resets 6pm on Nov 25', '2026-11-25T18:00:00.000Z'],
    ['resets Jan 2, 9am', '2027-01-02T09:00:00.000Z'],
    ['Retry-After: Mon, 23 Nov 2026 07:28:00 GMT', '2026-11-23T07:28:00.000Z'],
    ['resets Monday 9am', '2026-11-23T09:00:00.000Z'],
    ['resets on Saturday at 9:00', '2026-11-28T09:00:00.000Z'],
    ['resets Sunday at 9:00', '2026-11-29T09:00:00.000Z'],
    ['resets tomorrow at 9am', '2026-11-23T09:00:00.000Z'],
    ['resets today at 11pm', '2026-11-22T23:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  test('that has just passed is a limit that has just ended', () => {
    expect(at('limit reached|1795341000')).toBe('2026-11-22T09:50:00.000Z');
  });
});

test.each([
  '',
  'usage limit reached',
  '10:15:00 started\n10:16:00 limit reached',
  'resets soon',
  'resets 25',
  'resets 13pm',
  'resets 24:00',
  'resets 10:75',
  'resets Feb 30, 6pm',
  'limit reached|1000000000',
  'limit reached|9999999999',
  'resets in 4000 days',
  'Retry-After: 999999999',
  'retry 3 times',
  'no more results until the lane is done',
])('nothing is said by %j', (text) => {
  expect(at(text)).toBeUndefined();
});

test('says nothing rather than throwing, whatever the text', () => {
  const word = fc.constantFrom(
    ...[
      'resets',
      'try again',
      'in',
      'at',
      '|',
      'Retry-After:',
      '6:30pm',
      '99:99',
      '(Europe/',
      'Berlin)',
    ],
    ...[
      'Nov',
      'Feb',
      '31',
      '2026-13-45',
      'T25:00',
      '1795357800',
      '99999999999999',
      'hours',
      '+99:99',
      'Z',
    ],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word).map((it) => it.join(' ')),
  );
  fc.assert(
    fc.property(text, (it) => {
      const found = resumeTime(it, NOW, 'UTC');
      return found === undefined || Number.isFinite(found.getTime());
    }),
  );
});

test('a time of day is the next one that the clocks of the zone will show', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Auckland');
  const now = fc.date({
    min: new Date('2026-01-01'),
    max: new Date('2027-12-31'),
    noInvalidDate: true,
  });
  const clock = fc.tuple(fc.nat(23), fc.nat(59));
  fc.assert(
    fc.property(now, clock, zone, (when, [hour, minute], name) => {
      const text = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      const found = resumeTime(`resets ${text} (${name})`, when, 'UTC');
      if (found === undefined) return false;
      const ahead = found.getTime() - when.getTime();
      const shown = new Intl.DateTimeFormat('en-GB', { timeZone: name, timeStyle: 'short' });
      const hours25 = 25 * 3_600_000;
      // In the night in which clocks are put forward there is an hour that none of them shows.
      const skipped = hour < 4 && shown.format(found) !== text;
      return ahead > -3_600_000 && ahead <= hours25 && (skipped || shown.format(found) === text);
    }),
  );
});

test('a span is added to now', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 59 }),
      fc.integer({ min: 1, max: 23 }),
      (minutes, hours) => {
        const found = resumeTime(`try again in ${hours}h ${minutes}m`, NOW, 'UTC');
        return found?.getTime() === NOW.getTime() + (hours * 60 + minutes) * 60_000;
      },
    ),
  );
});

test('long text takes no longer than it is long', () => {
  expect(resumeTime('resets '.repeat(200_000), NOW, 'UTC')).toBeUndefined();
  expect(resumeTime('in a '.repeat(200_000), NOW, 'UTC')).toBeUndefined();
  expect(resumeTime(`resets ${'at '.repeat(100_000)}6pm`, NOW, 'UTC')).toBeUndefined();
});
