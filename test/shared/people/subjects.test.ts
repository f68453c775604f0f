import { describe, expect, test } from 'vitest';
import { type ShortEventType, toShortType } from '#shared/core/event-types.ts';
import { ALERT_TYPES, type Alert } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { describableEventSchema } from '#shared/people/words/sentences.ts';
import { alertOf, describableExample } from '#test/support/example-alert.ts';

/** The subject of a mail: at most 78 characters of ASCII, whatever the names are. */

const TYPES = ALERT_TYPES.map(toShortType);

/** Names of every length at which the words around them may just fit, or no more. */
const TEXTS = [
  'Ana Lee',
  'Großmüller-Weißßß',
  '山田太郎 厨房',
  'A'.repeat(24),
  'ß'.repeat(30),
  'Ω'.repeat(40),
].concat(
  Array.from({ length: 14 }, (_, n) => 'B'.repeat(18 + 3 * n)),
  'C'.repeat(200),
);

describe.each(TYPES)('of %s', (type) => {
  test('fits, with long names and with that of the connection', () => {
    const subjects = TEXTS.flatMap((text) =>
      [true, false].flatMap((namesConnection) => subjectOf([buildOne(type, { text, namesConnection })])),
    );
    expect(subjects.filter((subject) => !fits(subject))).toEqual([]);
    expect(subjects.length).toBe(TEXTS.length * 2);
  });
});

test('of several alerts of one timesheet, and of a digest of every kind, fits', () => {
  const subjects = TEXTS.flatMap((text) => {
    const all = TYPES.map((type) => buildOne(type, { text, namesConnection: false }));
    const story = all.filter(({ story }) => story !== undefined).map((each) => ({ ...each, subject: '1_7' }));
    const pairs = all.map((one) => [one, { ...one, id: `${one.id}-2`, subject: 'other' }]);
    return [story, story.slice(0, 2), all, ...pairs].flatMap(subjectOf);
  });
  expect(subjects.filter((subject) => !fits(subject))).toEqual([]);
  expect(new Set(subjects).size).toBeGreaterThan(40);
});

function fits(subject: string): boolean {
  return /^[A-Za-z0-9][ -~]{0,77}$/.test(subject);
}

function subjectOf(alerts: readonly Alert[]): string[] {
  return composeMessages(alerts).flatMap(({ message }) =>
    message === null ? [] : [buildMail(message, { channel: 'payroll', stackName: 'stack' }).subject],
  );
}

interface Named {
  readonly text: string;
  readonly namesConnection: boolean;
}

function buildOne(type: ShortEventType, { text, namesConnection }: Named): Alert {
  // In every member: names of calendars, webhooks and connections.
  const sample = JSON.stringify(describableExample(type)).replaceAll(
    /"(?:Weekly|payroll-system|main)"/g,
    () => JSON.stringify(text),
  );
  return alertOf(describableEventSchema.parse(JSON.parse(sample)), { names: nameAll(text), namesConnection });
}

function nameAll(text: string): Names {
  return {
    ...NO_NAMES,
    employees: new Map([['1030_1', text]]),
    departments: new Map([['202_1', text]]),
  };
}
