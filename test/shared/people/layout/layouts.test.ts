import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { bold, type Line, type Message, toText } from '#shared/people/message.ts';
import { cleanText } from '#shared/people/messages/clean-text.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { message } from '../sample-message.ts';
import { inertSlackSchema, inertTeamsSchema } from './inert-payloads.ts';

const url = 'https://time.acme.example/';

/** As they come from the source; the last one has 10,000 characters. */
const NAMES = [
  '<!channel> & <@U123>',
  '&lt;!here&gt; @here #payroll',
  '{{DATE(2026-11-16T06:00:00Z, SHORT)}} {{{{TIME(',
  '[Open](https://evil.example) ana@evil.example',
  ':skull: *b* _i_ ~s~ `c`',
  '> quote\r\n- item\u2028# heading',
  'Ana\u202egnp.exe\u202c\u200b\u2066 Lee\u0000\ud800',
  'x😀'.repeat(3_334),
];

/** What is compared with files. */
const SAMPLES: Readonly<Record<string, Message>> = {
  closing: message({
    heading: 'Weekly 26 Oct - 1 Nov closed: 692.5 h ready, 22.5 h not approved',
    lines: [
      { spans: [bold('2 to settle'), ', or leave to the next run:'] },
      ...['Frankie Example 22', 'Gray Example 23'].map((name, number): Line => {
        const spans = [bold(name), `, Kitchen, ${27 + number} Oct: `, bold('7.5 h'), ' not approved'];
        return { spans, isInner: true, url: `${url}sheets/${number}` };
      }),
      { spans: ['Total ', bold('715 h'), ' of 23 people, the same in Workforce.'] },
    ],
    urgent: true,
    url: `${url}periods/9013_1`,
    thread: 'main#9013_1',
  }),
  'hostile-names': message({
    heading: `Check ${NAMES.slice(0, 4).map(cleanText).join(', ')}`,
    lines: [
      ...NAMES.map((name) => ({ spans: [bold(cleanText(name)), ': 7.5 to 8 h (+0.5)'] })),
      { spans: [bold('Not cleaned'), `: ${NAMES.at(-1)}`] },
    ],
    more: 1_005,
  }),
};

const ROUTE = { channel: 'payroll-office', stackName: 'workforce-notifier' };

describe('in each channel as its file says looks', () => {
  test.each(Object.entries(SAMPLES))('%s', async (name, sample) => {
    const { subject, body } = buildMail(sample, ROUTE);
    await expect(print(buildSlackPayload(sample))).toMatchFileSnapshot(`golden/${name}.slack.json`);
    await expect(print(buildTeamsPayload(sample))).toMatchFileSnapshot(`golden/${name}.teams.json`);
    await expect(`Subject: ${subject}\n\n${body}`).toMatchFileSnapshot(`golden/${name}.mail.txt`);
  });
});

const PIECE = fc.oneof(
  fc.constantFrom(
    ...['<!channel>', '<@U1>', '<https://evil.example|x>', '@here', '&lt;', '&', '<', '>', '\n> q', '\n- x'],
    ...[':skull:', ':a:b:', '::', '*b*', '_i_', '`c`', '**b**', '[x](https://evil.example)', '<at>All</at>'],
    ...['{{DATE(', '{{TIME(', '{', '{{', '\u202e', '\u0301'],
  ),
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
  fc.constantFrom('x', '"', '&', '\u0001', '漢', '😀', 'x😀', ':a:').map((text) => text.repeat(700)),
);
const TEXT = fc.array(PIECE, { maxLength: 4 }).map((pieces) => pieces.join(''));
const LINE: fc.Arbitrary<Line> = fc.record({
  spans: fc.tuple(
    TEXT.map((text) => ({ bold: text })),
    TEXT,
  ),
  isInner: fc.boolean(),
  url: fc.constantFrom(undefined, 'https://time.acme.example/1'),
});
const MESSAGE = fc
  .record({ name: TEXT, lines: fc.array(LINE, { maxLength: 60, size: 'max' }), more: fc.nat(2) })
  .map(({ name, ...others }) => message({ heading: `Check ${name}`, ...others }));

test('whatever a message says has no effect, is within all bounds, and is counted where it is left out', () => {
  fc.assert(
    fc.property(MESSAGE, (any) => {
      const slack = inertSlackSchema.parse(buildSlackPayload(any));
      const teams = inertTeamsSchema.parse(buildTeamsPayload(any));
      const { subject, body } = buildMail(any, ROUTE);
      expect(subject).toMatch(/^[A-Za-z0-9][ -~]{0,77}$/);
      expect([body.isWellFormed(), Buffer.byteLength(body) <= 256_000]).toEqual([true, true]);
      checkShown(any, read(renderSlackMessage(slack)));
      checkShown(any, read(renderTeamsCard(teams)));
      checkShown(any, body);
    }),
    { seed: 35, numRuns: 80 },
  );
});

test.each([
  { text: '<!channel>' },
  { text: ':skull:' },
  { text: 'half \ud83d' },
  { parse: 'full' },
  { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x' } }] },
  { blocks: [{ type: 'rich_text', elements: [{ type: 'broadcast', range: 'channel' }] }] },
])('that a payload of Slack has an effect would be seen: %j', (change) => {
  const payload = buildSlackPayload(message());
  expect(
    [payload, { ...payload, ...change }].map((each) => inertSlackSchema.safeParse(each).success),
  ).toEqual([true, false]);
});

describe('a subject', () => {
  test.each([
    ['Zoë Müller-Łoś of Ærø', 'Zoe Muller-os of r'],
    ['山田 太郎, Mon 2 Nov: approved', 'Mon 2 Nov: approved'],
    ['山田', 'Workforce alert'],
    ['Ana\r\nBcc: all', 'Ana Bcc: all'],
    [`${'word '.repeat(30)}end`, `${'word '.repeat(15).trim()}...`],
    [`A ${'x'.repeat(200)}`, `A ${'x'.repeat(73)}...`],
    ['x'.repeat(78), 'x'.repeat(78)],
    // What ASCII would make addresses of.
    ['https\uff1a//evil\u2024example', 'https: //evil. example'],
    ['https\ufe55/\uff0fevil.\u00eaxample', 'https: //evil. example'],
    ['ana\uff20evil\uff0eexample', 'ana@ evil. example'],
    ['www.evil.\u24d2om', 'www. evil. com'],
    ['evil.\u0301\u0063om', 'evil. com'],
  ])('of %j is %j', (heading, subject) => {
    expect(buildMail(message({ heading }), ROUTE).subject).toBe(subject);
  });
});

/** The first lines are there as they are, unless they are cut, and the others are counted. */
function checkShown({ lines, more }: Message, shown: string): void {
  const [, count = '0'] = /^(?:- |• )?and (\d+) more$/m.exec(shown) ?? [];
  const listed = lines.slice(0, lines.length + more - Number(count));
  expect(listed.length).toBeGreaterThanOrEqual(Math.min(lines.length, 1));
  const whole = listed.map(({ spans }) => toText(spans)).filter((text) => text.length <= 600);
  // A card has a space within braces.
  const found = shown.replaceAll('{ ', '{');
  expect(whole.filter((text) => !found.includes(text.replaceAll('{ ', '{')))).toEqual([]);
}

/** JSON with what is short on one line. */
function print(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length <= 110 || typeof value !== 'object' || value === null) return flat;
  const isList = Array.isArray(value);
  const inner = Object.entries(value).map(
    ([name, each]) =>
      `\n${indent}  ${isList ? '' : `${JSON.stringify(name)}: `}${print(each, `${indent}  `)}`,
  );
  return isList ? `[${inner}\n${indent}]` : `{${inner}\n${indent}}`;
}

function read(lines: readonly { readonly text: string }[] | null): string {
  return (lines ?? []).map(({ text }) => text).join('\n');
}
