import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSlackPayload } from '#shared/core/alerts/slack-blocks.ts';
import { message } from './sample-alerts.ts';
import { findActiveMarkup, shown, unescapeText } from './slack-markup.ts';

const QUIET = { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };
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
    blocks: [section('Pay period Weekly 9-15 Nov was reopened.'), context(SEEN)],
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
      section('• One -&gt; two.\n• Two &amp; three.'),
      context(`+ 1,055 more  |  ${SEEN}`),
    ],
  });
});

test('a message without words is shown as one', () => {
  expect(buildSlackPayload(message({ title: ' ' })).blocks[0]).toEqual(section('Workforce alert'));
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
    ['3001 characters', { blocks: [section('x'.repeat(3_001))] }],
    ['51 blocks', { blocks: Array.from({ length: 51 }, () => section('x')) }],
  ])('would be found: %s', (found, change) => {
    expect(findActiveMarkup({ ...buildSlackPayload(message()), ...change })).toContain(found);
  });

  test('is text in 20,000 messages of all kinds, within the limits of Slack', () => {
    const piece = fc.oneof(
      fc.constantFrom(...MARK_UP),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ maxLength: 12 }),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const lines = fc.array(text, { maxLength: 6 });
    fc.assert(
      fc.property(text, lines, (title, some) => {
        const payload = buildSlackPayload(message({ title, lines: some }));
        const found = findActiveMarkup(payload);
        if (found.length > 0) throw new Error(found.join(' '));
      }),
      { seed: 35, numRuns: 20_000 },
    );
  });
});

describe('a record that people can open', () => {
  const url = 'https://time.acme.example/sheets/910001_4711';
  const button = { type: 'button', text: { type: 'plain_text', text: 'Open', emoji: false }, url };

  test('has its headline as the heading, and a button', () => {
    const payload = buildSlackPayload(message({ headline: 'Ana Lee, Thu 12 Nov: 7.5 to 8 h (+0.5)', url }));
    expect(payload.blocks).toEqual([
      header('Ana Lee, Thu 12 Nov: 7.5 to 8 h (+0.5)'),
      section('Pay period Weekly 9-15 Nov was reopened.'),
      { type: 'actions', elements: [button] },
      context(SEEN),
    ]);
    expect(findActiveMarkup(payload)).toEqual([]);
  });

  test('has a line and a button of its own in a digest', () => {
    const payload = buildSlackPayload(
      message({ title: 'Four', lines: ['One.', 'Two.', 'Three.', 'Four.'], links: [null, url, null, null] }),
    );
    expect(payload.blocks).toEqual([
      header('Four'),
      section('• One.'),
      { ...section('• Two.'), accessory: button },
      section('• Three.\n• Four.'),
      context(SEEN),
    ]);
    expect(findActiveMarkup(payload)).toEqual([]);
  });
});

describe('what is too long', () => {
  test('for a section goes on in the next', () => {
    const payload = buildSlackPayload(
      message({ lines: Array.from({ length: 10 }, (_, at) => `${at}${'x'.repeat(899)}`) }),
    );
    expect(findActiveMarkup(payload)).toEqual([]);
    expect(shown(payload).match(/• \dx{899}/g)).toHaveLength(10);
    expect(payload.blocks).toHaveLength(6);
  });

  test('for any section is cut, no escape in half', () => {
    const payload = buildSlackPayload(message({ title: '&'.repeat(4_000), lines: ['<😀'.repeat(2_000)] }));
    expect(findActiveMarkup(payload)).toEqual([]);
    expect(shown(payload).split('\n').slice(0, 3)).toEqual([
      `${'&'.repeat(28)}...`,
      `${'&'.repeat(579)}...`,
      expect.stringMatching(/^• (?:<😀)+<?\.\.\.$/u),
    ]);
    expect(unescapeText(payload.text)).toMatch(/^&+\.\.\.$/);
  });

  test('for a message is counted with the rest', () => {
    const payload = buildSlackPayload(
      message({ lines: Array.from({ length: 100 }, () => 'x'.repeat(2_800)), more: 5 }),
    );
    expect(findActiveMarkup(payload)).toEqual([]);
    expect(payload.blocks.at(-1)).toEqual(context(`+ 65 more  |  ${SEEN}`));
    expect(payload.blocks).toHaveLength(42);
  });
});

function header(text: string) {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function section(text: string) {
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } };
}

function context(text: string) {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}
