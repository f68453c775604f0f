import { expect, test } from 'vitest';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';

test.each([
  ['+13:00', ['Pacific/Auckland']],
  ['+1300', ['Pacific/Auckland']],
  ['-05', ['America/New_York', 'America/Chicago']],
  ['EST', ['America/New_York', 'America/Chicago']],
  ['est', ['America/New_York', 'America/Chicago']],
  ['MST', ['America/Denver', 'America/Phoenix', 'America/Los_Angeles']],
  ['HST', ['Pacific/Honolulu']],
  ['GMT+0', ['Europe/London', 'UTC']],
  ['GMT', ['Europe/London', 'UTC']],
  ['Zulu', ['Europe/London', 'UTC']],
  ['Etc/GMT', ['Europe/London', 'UTC']],
  ['Etc/GMT+5', ['America/New_York', 'America/Chicago']],
  ['Etc/GMT-13', ['Pacific/Auckland']],
  ['JST', ['Asia/Tokyo']],
  ['+05:45', ['Asia/Katmandu']],
])(
  'a zone that is no place and keeps no summer time is refused with those that are meant: %s',
  (zone, meant) => {
    expect(refusalOf(zone)).toBe(
      `time zone "${zone}" is no place, and keeps no summer time; use the IANA name of the place that is meant, such as ${meant.join(' or ')}`,
    );
  },
);

test.each([
  // A place, with summer time or without.
  ...['Pacific/Auckland', 'Europe/London', 'Africa/Abidjan', 'Asia/Tokyo', 'Pacific/Honolulu', 'Japan'],
  // Keeps summer time, whatever it is called.
  ...['NZ', 'CET', 'EST5EDT'],
  // A source itself may keep it.
  ...['UTC', 'Etc/UTC'],
])('a zone is taken: %s', (zone) => {
  expect(refusalOf(zone)).toBeUndefined();
});

test('every zone that this Node names as one of a place is taken', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  expect(zones.length).toBeGreaterThan(400);
  expect(zones.filter((zone) => refusalOf(zone) !== undefined)).toEqual([]);
});

test('what is no zone at all is said to be unknown', () => {
  for (const text of ['Auckland', '', 'GMT+0 ', '13:00'])
    expect(refusalOf(text)).toBe(
      `unknown time zone ${JSON.stringify(text)}; use an IANA name such as Pacific/Auckland`,
    );
});

function refusalOf(zone: string): string | undefined {
  return timeZoneSchema
    .safeParse(zone)
    .error?.issues.map(({ message }) => message)
    .join('; ');
}
