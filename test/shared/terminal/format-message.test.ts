import { expect, test } from 'vitest';
import { formatMessage, type ReceivedMessage } from '#shared/terminal/format-message.ts';

const ESCAPE = String.fromCharCode(27);

test('a message stands behind its label, and nothing is wider than 100 columns', () => {
  const text =
    'Pay period Weekly 10-16 Nov closed: 1,912.5 h, 51 employees, 380 timesheets; 12 not approved, 3 not processed.';
  expect(formatMessage(message({ lines: [{ text }, { text: '' }, { text: '10:30' }] }), false)).toBe(
    [
      '  slack #payroll | Pay period Weekly 10-16 Nov closed: 1,912.5 h, 51 employees, 380 timesheets; 12',
      '                 | not approved, 3 not processed.',
      '                 |',
      '                 | 10:30',
    ].join('\n'),
  );
});

test('continuation lines of a bullet are indented to its text', () => {
  const lines = formatMessage(message({ lines: [{ text: `• ${'eleven char '.repeat(12)}` }] }), false).split(
    '\n',
  );
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^ {17}\| {3}(?:eleven|char) /);
});

test('a word too long for a line is broken without loss', () => {
  const word = 'x'.repeat(250);
  const lines = formatMessage(message({ lines: [{ text: `see ${word}` }] }), false).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines.map((line) => line.slice(line.indexOf('|') + 1).trim()).join('')).toBe(`see${word}`);
});

test('control characters are escaped', () => {
  const hostile = message({ label: `slack #a${ESCAPE}[2J`, lines: [{ text: `a${ESCAPE}[31mb\r\u202ec` }] });
  expect(formatMessage(hostile, false)).toBe('  slack #a\\u001b[2J | a\\u001b[31mb\\u000d\\u202ec');
});

test('colour changes nothing but colour', () => {
  const lines = [{ text: 'closed', style: 'bold' }, { text: 'at 10:30' }] as const;
  const coloured = formatMessage(message({ lines }), true);
  expect(coloured).toContain(`${ESCAPE}[1mclosed`);
  expect(coloured.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')).toBe(
    formatMessage(message({ lines }), false),
  );
});

test('a message without lines is still shown', () => {
  expect(formatMessage(message({ lines: [] }), false)).toBe('  slack #payroll |');
});

function message(differences: Partial<ReceivedMessage>): ReceivedMessage {
  return { label: 'slack #payroll', labelStyle: 'magenta', lines: [], ...differences };
}
