import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildMail } from '#shared/people/layout/mail.ts';
import { cleanText } from '#shared/people/messages/clean-text.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { message } from '../sample-alerts.ts';

const TO = { channel: 'payroll-office', stackName: 'workforce-notifier' };

test('one alert is a mail with its sentence, when it was seen, and why one gets it', () => {
  expect(buildMail(message(), TO)).toEqual({
    subject: 'Pay period Weekly 9-15 Nov was reopened.',
    body: `Pay period Weekly 9-15 Nov was reopened.

Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland).

--
You receive this because your address is in the channel "payroll-office" of workforce-notifier.
To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.
`,
  });
});

test('a heading is the subject, and the sentence what the mail says', () => {
  const [title, heading] = [
    'Pay period Weekly 9-15 Nov closed: 40 h; 12 not approved.',
    'Closed: 12 not approved',
  ];
  const { subject, body } = buildMail(message({ title, heading }), TO);
  expect([subject, body.slice(0, body.indexOf('\n'))]).toEqual([heading, title]);
});

test('what ASCII cannot say of the heading, the mail says', () => {
  const { subject, body } = buildMail(
    message({ title: 'Käthe was removed.', heading: 'Käthe: removed', facts: 'Removed.' }),
    TO,
  );
  expect([subject, body.slice(0, body.indexOf('\n'))]).toEqual(['Kathe: removed', 'Käthe was removed.']);
});

test('a digest is a mail with its lines', () => {
  const digest = message({
    title: '57 timesheets approved in 4 departments',
    lines: ['One Zoë.', 'Two.'],
    more: 1_055,
  });
  const { subject, body } = buildMail(digest, TO);
  expect(subject).toBe('57 timesheets approved in 4 departments');
  expect(body).toBe(`57 timesheets approved in 4 departments

- One Zoë.
- Two.
+ 1,055 more

Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland).

--
You receive this because your address is in the channel "payroll-office" of workforce-notifier.
To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.
`);
});

describe('a subject', () => {
  test.each([
    ['Zoë Müller-Łoś of Ærø', 'Zoe Muller-os of r'],
    ['“Ana” – it’s…', 'Ana its...'],
    ['Timesheet of 山田 太郎 (厨房)', 'Timesheet of ()'],
    ['Ana\r\nBcc: all@acme.example', 'Ana Bcc: all@ acme. example'],
    ['Late approval of Anna B. Lee: 7.5 to 8 h', 'Late approval of Anna B. Lee: 7.5 to 8 h'],
    ['*** look ***', 'look ***'],
    ['  12 timesheets', '12 timesheets'],
    ['!', 'Workforce alert'],
    ['', 'Workforce alert'],
    [`${'word '.repeat(30)}end`, `${'word '.repeat(15).trim()}...`],
    ['x'.repeat(200), `${'x'.repeat(75)}...`],
    [`A ${'x'.repeat(200)}`, `A ${'x'.repeat(73)}...`],
    ['x'.repeat(78), 'x'.repeat(78)],
    [`${'x'.repeat(60)}: ${'y'.repeat(60)}`, `${'x'.repeat(60)}...`],
  ])('of %j is %j', (title, subject) => {
    expect(buildMail(message({ title }), TO).subject).toBe(subject);
  });

  test.each([
    ['https\uff1a//evil\u2024example', 'https: //evil. example'],
    ['https:\uff0f\uff0fevil\ufe52example/login', 'https: //evil. example/login'],
    ['https\ufe55/\uff0fevil.\u00eaxample', 'https: //evil. example'],
    ['ana\uff20evil\uff0eexample', 'ana@ evil. example'],
    ['ana\ufe6bevil\u2024example', 'ana@ evil. example'],
    ['www.evil.\u24d2om', 'www. evil. com'],
    ['evil.\u0301\u0063om', 'evil. com'],
  ])('of %j has no address, although ASCII would make one of it', (name, subject) => {
    expect(buildMail(message({ title: cleanText(name) }), TO).subject).toBe(subject);
  });

  test('is what SNS takes, whatever the title is', () => {
    const titles = fc.oneof(
      fc.string({ unit: CODE_POINT, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(titles, (title) => {
        const { subject } = buildMail(message({ title }), TO);
        expect(subject).toMatch(/^[A-Za-z0-9][ -~]{0,77}$/);
      }),
      { seed: 34, numRuns: 10_000 },
    );
  });
});
