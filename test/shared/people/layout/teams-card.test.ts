import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { message } from '../sample-alerts.ts';
import { findActiveCardMarkup, shownInCard } from './teams-markup.ts';

const SEEN = 'Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)';
const URL = 'https://time.acme.example/sheets/910001_4711';
const OPEN = { type: 'Action.OpenUrl', title: 'Open', url: URL };

/** What is Markdown, a mention, a function or a template in Teams, in cards or in workflows. */
const MARK_UP = [
  '**bold**',
  '__bold__',
  '_it_',
  '*it*',
  '- item',
  '\r- item',
  '1. one',
  '# heading',
  '[click](https://evil.example)',
  '![image](https://evil.example/a.png)',
  '<https://evil.example>',
  'https://evil.example',
  'www.evil.example',
  'mailto:a@evil.example',
  '`code`',
  '```\ncode\n```',
  '> quote',
  '~~no~~',
  '\\*escaped\\*',
  '<at>Everyone</at>',
  '@everyone',
  '<b>bold</b>',
  '<script>alert(1)</script>',
  '&lt;b&gt;',
  '&nbsp;',
  "@{triggerBody()?['x']}",
  '\\u002a\\u002a',
  ':skull:',
  '&',
  '"quoted"',
];

test('one alert is a sentence, and when it was seen', () => {
  expect(buildTeamsPayload(message())).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [block('Pay period Weekly 9-15 Nov was reopened.'), closing(SEEN)],
        },
      },
    ],
  });
});

test('a digest is a bold title, its lines, and how many there are more', () => {
  const lines = ['One -> two.', 'Two & three.'];
  expect(bodyOf({ title: '57 timesheets approved', lines, more: 1_055 })).toEqual([
    heading('57 timesheets approved'),
    block('• One -> two.'),
    block('• Two & three.'),
    closing(`+ 1,055 more  |  ${SEEN}`),
  ]);
});

test.each([' ', ''])('a message without words is shown as one: %j', (title) => {
  expect(bodyOf({ title })[0]).toEqual(block('Workforce alert'));
});

describe('a record that people can open', () => {
  test('has its heading on top, and a button', () => {
    const text = 'Ana Lee, Thu 12 Nov: 7.5 to 8 h (+0.5)';
    const payload = buildTeamsPayload(message({ heading: text, url: URL }));
    expect(payload.attachments[0].content.body).toEqual([
      heading(text),
      block('Pay period Weekly 9-15 Nov was reopened.'),
      closing(SEEN),
    ]);
    expect(payload.attachments[0].content.actions).toEqual([OPEN]);
    expect(findActiveCardMarkup(payload)).toEqual([]);
  });

  test('has a link at the end of its line in a digest', () => {
    const given = { title: 'Two', lines: ['One.', 'Two.'], links: [null, URL] };
    expect(bodyOf(given).slice(1, 3)).toEqual([
      block('• One.'),
      {
        type: 'RichTextBlock',
        inlines: [
          { type: 'TextRun', text: '• Two.  ' },
          { type: 'TextRun', text: 'Open', selectAction: OPEN },
        ],
      },
    ]);
    expect(findActiveCardMarkup(buildTeamsPayload(message(given)))).toEqual([]);
  });
});

describe('what would be more than text', () => {
  test.each(MARK_UP)('such as %j is text', (text) => {
    const payload = buildTeamsPayload(message({ title: `Of ${text} it is.`, lines: [text, `x${text}x`] }));
    expect(findActiveCardMarkup(payload)).toEqual([]);
    expect(shownInCard(payload)).toContain(`Of ${text} it is.\n• ${text}\n• x${text}x`);
  });

  test.each(['{{DATE(2026-11-16T06:00:00Z, SHORT)}}', '{{TIME(2026-11-16T06:00:00Z)}}', '{{{{DATE('])(
    'such as the function %j is text, with a space in it',
    (text) => {
      const payload = buildTeamsPayload(message({ title: text, heading: text, lines: [text] }));
      expect(findActiveCardMarkup(payload)).toEqual([]);
      expect(shownInCard(payload)).toContain(text.replaceAll('{{', '{ {').replaceAll('{{', '{ {'));
    },
  );

  test.each<[string, object]>([
    ['Markdown: TextBlock', { type: 'TextBlock', text: '**x**' }],
    ['Markdown: FactSet', { type: 'FactSet', facts: [] }],
    ['unknown: Image', { type: 'Image', url: 'https://evil.example' }],
    ['an empty text', { type: 'TextRun', text: '' }],
    ['a function', { type: 'TextRun', text: '{{DATE(2026-11-16T06:00:00Z)}}' }],
    ['an address: javascript:alert(1)', { type: 'Action.OpenUrl', url: 'javascript:alert(1)' }],
    ['an empty block', { type: 'RichTextBlock', inlines: [] }],
  ])('would be found: %s', (found, part) => {
    expect(findActiveCardMarkup({ ...buildTeamsPayload(message()), part })).toContain(found);
  });

  test('is text in 5,000 messages of all kinds, within the limits of Teams', () => {
    const piece = fc.oneof(
      fc.constantFrom(...MARK_UP, '{{DATE(', '{{TIME(', '{', '}}'),
      fc.string({ unit: CODE_POINT, maxLength: 12 }),
      fc.string({ maxLength: 12 }),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const lines = fc.array(text, { maxLength: 6 });
    fc.assert(
      fc.property(text, lines, fc.option(text, { nil: undefined }), (title, some, heading) => {
        const payload = buildTeamsPayload(
          message({ title, lines: some, ...(heading === undefined ? {} : { heading }) }),
        );
        expect(findActiveCardMarkup(payload)).toEqual([]);
      }),
      { seed: 36, numRuns: 5_000 },
    );
  });
});

describe('what is too long', () => {
  test.each([
    ['lines', Array.from({ length: 100 }, (_, at) => `${at} ${'x'.repeat(500)}`)],
    ['lines of which JSON makes six times as much', Array.from({ length: 40 }, () => '\u0001'.repeat(600))],
    ['lines in another script', Array.from({ length: 40 }, () => '山'.repeat(600))],
  ])('%s are left out from the end, and counted', (_, lines) => {
    const payload = buildTeamsPayload(message({ title: 'Many', lines, more: 5 }));
    expect(findActiveCardMarkup(payload)).toEqual([]);
    const shown = shownInCard(payload).match(/^• /gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(3);
    expect(shownInCard(payload)).toContain(`+ ${lines.length - shown + 5} more`);
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    expect(bytes).toBeGreaterThan(18_000);
  });

  test('a sentence is cut, no character in half', () => {
    const [sentence] = bodyOf({ title: '😀'.repeat(2_000) });
    expect(sentence?.inlines[0]?.text).toMatch(/^(?:😀)+\.\.\.$/u);
    expect(sentence?.inlines[0]?.text.length).toBeLessThanOrEqual(1_500);
  });
});

function bodyOf(values: Parameters<typeof message>[0]) {
  return buildTeamsPayload(message(values)).attachments[0].content.body;
}

function block(text: string) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] };
}

function heading(text: string) {
  const run = { type: 'TextRun', text, weight: 'Bolder', size: 'Large' };
  return { type: 'RichTextBlock', inlines: [run] };
}

function closing(text: string) {
  const run = { type: 'TextRun', text, isSubtle: true };
  return { type: 'RichTextBlock', inlines: [run], separator: true };
}
