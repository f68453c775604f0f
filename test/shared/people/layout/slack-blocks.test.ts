import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { message } from '../sample-alerts.ts';
import { findActiveMarkup, listBold, shown, unescapeText } from './slack-markup.ts';

const QUIET = { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };
const RECORD = 'https://time.acme.example/sheets/910001_4711';
const SEEN = 'Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)';

const MARK_UP = [
  '<!channel>',
  '<!here|here>',
  '@here',
  '@channel',
  '<@U123>',
  '<#C123|payroll>',
  '#payroll',
  '<https://evil.example|click>',
  'https://evil.example',
  'www.evil.example',
  'mailto:a@evil.example',
  '<mailto:a@evil.example|a>',
  ':skull:',
  ':a:b:c:',
  '::::',
  '*bold*',
  '_it_',
  '~no~',
  '`code`',
  '> quote',
  '\n> quote',
  '&lt;!channel&gt;',
  '&amp;lt;!here&amp;gt;',
  '<!subteam^S1>',
  '<!date^1392734382^{date}|x>',
  '&',
  '<',
  '>',
  '10:01',
];

test('one alert is a title, and when it was seen', () => {
  expect(buildSlackPayload(message())).toEqual({
    ...QUIET,
    text: 'Pay period Weekly 9-15 Nov was reopened.',
    blocks: [paragraph('Pay period Weekly 9-15 Nov was reopened.'), context(SEEN)],
  });
});

test('a digest is a title, its lines, and how many there are more', () => {
  const digest = message({
    title: '57 timesheets approved',
    lines: ['One -> two.', 'Two & three.'],
    more: 1_055,
  });
  expect(buildSlackPayload(digest)).toEqual({
    ...QUIET,
    text: '57 timesheets approved\nOne -&gt; two.\nTwo &amp; three.\n+ 1,055 more',
    blocks: [
      header('57 timesheets approved'),
      bullets(['One -> two.', 'Two & three.']),
      context(`+ 1,055 more  |  ${SEEN}`),
    ],
  });
});

test('a message without words is shown as one', () => {
  expect(buildSlackPayload(message({ title: ' ' })).blocks[0]).toEqual(paragraph('Workforce alert'));
});

describe('what would be more than text', () => {
  test.each(MARK_UP)('such as %j is text', (text) => {
    const payload = buildSlackPayload(message({ title: `Of ${text} it is.`, lines: [text, `x${text}x`] }));
    expect(findActiveMarkup(payload)).toEqual([]);
    expect(shown(payload)).toContain(`Of ${text} it is.\n• ${text}\n• x${text}x`);
  });

  test.each<[string, object]>([
    ['<', { text: '<!channel>' }],
    [':skull:', { text: ':skull:' }],
    ['@here', { text: '@here', link_names: true }],
    ['*bold*', { text: '*bold*', mrkdwn: true }],
    ['https://evil.example', { text: 'https://evil.example', parse: 'full' }],
    ['not plain text: mrkdwn', { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x' } }] }],
    [':skull:', { blocks: [{ type: 'section', text: { type: 'plain_text', text: ':skull:' } }] }],
    ['not plain text: emoji', { blocks: [richText({ type: 'emoji', name: 'skull' })] }],
    ['not plain text: broadcast', { blocks: [richText({ type: 'broadcast', range: 'channel' })] }],
    ['not plain text: text', { blocks: [richText({ type: 'text', text: 'x', style: { code: true } })] }],
    [
      'a link: https://evil.example',
      { blocks: [richText({ type: 'link', url: 'https://evil.example', text: 'Ana Lee' })] },
    ],
    ['blocks that are too long', { blocks: [paragraph('x'.repeat(13_200))] }],
    ['3001 characters', { blocks: [section('x'.repeat(3_001))] }],
    ['51 blocks', { blocks: Array.from({ length: 51 }, () => section('x')) }],
  ])('would be found: %s', (found, change) => {
    expect(findActiveMarkup({ ...buildSlackPayload(message()), ...change })).toContain(found);
  });

  test('is text in 8,000 messages of four to nine texts each, within the limits of Slack', () => {
    const piece = fc.oneof(
      fc.constantFrom(...MARK_UP),
      fc.string({ unit: CODE_POINT, maxLength: 12 }),
      fc.string({ maxLength: 12 }),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const lines = fc.array(text, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.tuple(text, text, text), lines, ([title, heading, name], some) => {
        const strong = { title: [name], lines: some.map(() => [name]) };
        const links = some.map((_, at) => (at % 2 === 0 ? null : RECORD));
        const named = some.map((line) => `${line} ${name}`);
        const payload = buildSlackPayload(message({ title, heading, lines: named, strong, links }));
        const found = findActiveMarkup(payload);
        if (found.length > 0) throw new Error(found.join(' '));
      }),
      { seed: 35, numRuns: 8_000 },
    );
  });
});

describe('a record that people can open', () => {
  const url = RECORD;
  const button = { type: 'button', text: { type: 'plain_text', text: 'Open', emoji: false }, url };

  test('has its heading as the heading, and a button', () => {
    const payload = buildSlackPayload(message({ heading: 'Ana Lee, Thu 12 Nov: 7.5 to 8 h (+0.5)', url }));
    expect(payload.blocks).toEqual([
      header('Ana Lee, Thu 12 Nov: 7.5 to 8 h (+0.5)'),
      paragraph('Pay period Weekly 9-15 Nov was reopened.'),
      { type: 'actions', elements: [button] },
      context(SEEN),
    ]);
    expect(findActiveMarkup(payload)).toEqual([]);
  });

  test('has a link at the end of its line in a digest', () => {
    const payload = buildSlackPayload(
      message({ title: 'Three', lines: ['One.', 'Two.', 'Three.'], links: [null, url, null] }),
    );
    const list = bullets(['One.', 'Two.', 'Three.']);
    list.elements[0]?.elements[1]?.elements.push(
      { type: 'text', text: '  ' },
      { type: 'link', url, text: 'Open' },
    );
    expect(payload.blocks).toEqual([header('Three'), list, context(SEEN)]);
    expect(findActiveMarkup(payload)).toEqual([]);
  });
});

describe('what stands out', () => {
  test('is bold: the person, the period and what is left', () => {
    const line = 'Pay period Weekly 9-15 Nov closed: 12 not approved, 2 not processed.';
    const payload = buildSlackPayload(
      message({
        title: line,
        lines: ['Ana Lee, Kitchen: Ana Lee approved.', 'Plain.', 'Anabel was added.'],
        strong: {
          title: ['Weekly 9-15 Nov', '12 not approved', '2 not processed'],
          lines: [['Ana Lee'], [], ['Ana']],
        },
      }),
    );
    expect(listBold(payload)).toEqual(['Ana Lee']);
    expect(
      listBold(
        buildSlackPayload(
          message({ title: line, strong: { title: ['Weekly 9-15 Nov', '12 not approved'], lines: [] } }),
        ),
      ),
    ).toEqual(['Weekly 9-15 Nov', '12 not approved']);
    expect(shown(payload)).toContain('• Ana Lee, Kitchen: Ana Lee approved.');
  });

  test('is left out where a text was cut or worded otherwise', () => {
    const payload = buildSlackPayload(
      message({ title: 'One.', strong: { title: ['', 'Two', 'One'], lines: [] } }),
    );
    expect(payload.blocks[0]).toEqual(
      richText({ type: 'text', text: 'One', style: { bold: true } }, { type: 'text', text: '.' }),
    );
  });
});

test('lines below others are bullets below theirs', () => {
  const payload = buildSlackPayload(
    message({ lines: ['Kitchen.', 'Ana.', 'Ben.', 'Bar.'], inner: [false, true, true, false] }),
  );
  expect(payload.blocks[1]).toEqual({
    type: 'rich_text',
    elements: [
      ...bullets(['Kitchen.']).elements,
      { ...bullets(['Ana.', 'Ben.']).elements[0], indent: 1 },
      ...bullets(['Bar.']).elements,
    ],
  });
});

describe('what is too long', () => {
  test('for a line is cut, no character in half', () => {
    const payload = buildSlackPayload(message({ title: '&'.repeat(4_000), lines: ['<😀'.repeat(2_000)] }));
    expect(findActiveMarkup(payload)).toEqual([]);
    expect(shown(payload).split('\n').slice(0, 3)).toEqual([
      `${'&'.repeat(28)}...`,
      `${'&'.repeat(1_497)}...`,
      expect.stringMatching(/^• (?:<😀)+<?\.\.\.$/u),
    ]);
    expect(unescapeText(payload.text)).toMatch(/^&+\.\.\.$/);
  });

  test.each(['x', '"', '\u0001', '漢', '😀'])('for a message of %j is counted with the rest', (character) => {
    const payload = buildSlackPayload(
      message({ lines: Array.from({ length: 100 }, () => character.repeat(1_400)), more: 5 }),
    );
    expect(findActiveMarkup(payload)).toEqual([]);
    const listed = shown(payload).match(/^• /gm)?.length ?? 0;
    expect(listed).toBeGreaterThan(0);
    expect(payload.blocks.at(-1)).toEqual(context(`+ ${105 - listed} more  |  ${SEEN}`));
  });

  test('is no more than sixty lines', () => {
    const payload = buildSlackPayload(message({ lines: Array.from({ length: 70 }, () => 'Line.') }));
    expect(payload.blocks.at(-1)).toEqual(context(`+ 10 more  |  ${SEEN}`));
  });
});

function header(text: string) {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function paragraph(text: string) {
  return richText({ type: 'text', text });
}

function richText(...elements: object[]) {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

function bullets(lines: readonly string[]) {
  const elements = lines.map((text) => {
    const own: object[] = [{ type: 'text', text }];
    return { type: 'rich_text_section', elements: own };
  });
  return { type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', indent: 0, elements }] };
}

function section(text: string) {
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } };
}

function context(text: string) {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}
