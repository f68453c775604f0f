import { bold, type Line, type Message } from '#shared/people/message.ts';
import { cleanText } from '#shared/people/messages/clean-text.ts';
import { message } from '../sample-message.ts';

const url = 'https://time.acme.example/';
const at = Date.parse('2026-11-02T21:30:00.000Z');

const OPEN = ['Frankie Example 22', 'Gray Example 23', 'Ellis Example 5'].map((name, number): Line => {
  const spans = [bold(name), `, Kitchen, ${27 + number} Oct: `, bold('7.5 h'), ' not approved'];
  return { spans, isInner: true, url: `${url}sheets/${number}` };
});

/** As they come from the source; the last one has 10,000 characters. */
const NAMES = [
  '<!channel> & <@U123>',
  '&lt;!here&gt; @here #payroll',
  '{{DATE(2026-11-16T06:00:00Z, SHORT)}} {{{{TIME(',
  '[Open](https://evil.example) ana@evil.example',
  '<https://evil.example|Open> www.evil.example',
  ':skull: *b* _i_ ~s~ `c`',
  '> quote\r\n- item\u2028# heading',
  'Ana\u202egnp.exe\u202c\u200b\u2066 Lee\u0000\ud800',
  'Zoë Müller 山田 😀',
  'x😀'.repeat(3_334),
];

/** What is compared with files. */
export const SAMPLES: Readonly<Record<string, Message>> = {
  closing: message({
    heading: 'Weekly 26 Oct - 1 Nov closed: 692.5 h ready, 22.5 h not approved',
    lines: [
      { spans: [bold('3 to settle'), ', or leave to the next run:'] },
      ...OPEN,
      { spans: ['Total ', bold('715 h'), ' of 23 people, the same in Workforce.'] },
    ],
    urgent: true,
    at,
    url: `${url}periods/9013_1`,
    thread: 'main#9013_1',
  }),
  reminder: message({
    heading:
      'Approve 6 timesheets by 10:30: Warehouse 3, Front Desk 2, Kitchen 1 (Weekly, 45.5 h, as yesterday)',
    lines: [
      { spans: ['Also today: ', bold('2 by 12:30'), ', Fortnightly.'] },
      { spans: ['Next week: nothing due.'] },
    ],
    at,
  }),
  'one-line': message({
    heading: 'Gray Example 23, Mon 2 Nov: approved without a clock-out',
    lines: [{ spans: ['Nothing to do.'] }],
    at,
    url: `${url}sheets/1`,
  }),
  'hostile-names': message({
    heading: `Check ${NAMES.slice(0, 4).map(cleanText).join(', ')}`,
    lines: [
      ...NAMES.map((name) => ({ spans: [bold(cleanText(name)), ': 7.5 to 8 h (+0.5)'] })),
      { spans: [bold('Not cleaned'), `: ${NAMES.at(-1)}`] },
    ],
    at,
  }),
  'sixty-lines': message({
    heading: '1,065 timesheets approved',
    lines: Array.from({ length: 60 }, (_, index) => ({
      spans: [bold(`Example ${index + 1}`), ': approved'],
    })),
    more: 1_005,
    at,
    url,
  }),
};
