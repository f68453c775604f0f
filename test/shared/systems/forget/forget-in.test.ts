import { describe, expect, test } from 'vitest';
import { forgetIn, type Person } from '#shared/systems/forget/forget-in.ts';
import { FORGOTTEN_TEXT } from '#shared/systems/forget/forgotten-event.ts';

const PERSON: Person = {
  connection: 'main',
  employeeId: '7',
  timesheets: new Set(['71_1']),
  name: 'Ana Lee',
};

describe('a sealed message', () => {
  test.each([
    ['Timesheet of Ana Lee on Thu 12 Nov was approved.', true],
    ['Ana Lee', true],
    ['Bo, Ana Lee (Kitchen) and 3 others', true],
    ['Timesheet 71_1 of employee 7 on Thu 12 Nov', true],
    ['https://workforce.example.com/people/7?tab=1', true],
    // Somebody or something else.
    ['Timesheet of Ana Leeds', false],
    ['Juliana Lee was approved', false],
    ['Timesheet 7 of employee 77', false],
    ['7 timesheets approved', false],
    ['https://workforce.example.com/people/17', false],
  ])('%s: is about the person: %s', (text, isAbout) => {
    const expected = isAbout ? FORGOTTEN_TEXT : text;
    expect(sealed({ heading: text, lines: [] }).heading).toBe(expected);
    const [start, end] = [text.slice(0, 12), text.slice(12)];
    expect(sealed({ heading: '', lines: [{ spans: [start, { bold: end }] }] }).lines).toEqual([
      { spans: isAbout ? [FORGOTTEN_TEXT] : [start, { bold: end }] },
    ]);
  });

  test('keeps its form, and what is about others', () => {
    const url = 'https://workforce.example.com/people/7';
    const chen = {
      spans: [{ bold: 'Bo Chen' }, ': approved'],
      url: 'https://workforce.example.com/people/8',
    };
    const message = { heading: '2 timesheets approved', url, more: 3, at: 7 };
    const lee = { spans: [{ bold: 'Timesheet of Fri' }], isInner: true, url };
    expect(sealed({ ...message, lines: [lee, chen] })).toEqual({
      ...{ heading: FORGOTTEN_TEXT, more: 3, at: 7 },
      lines: [{ spans: [FORGOTTEN_TEXT], isInner: true }, chen],
    });
  });

  test('of which nothing is about the person is the same text', () => {
    const text = '{ "message": {"heading":"Bo Chen: approved","lines":[]}, "eventIds": ["7"] }';
    expect(forgetIn('message', text, PERSON)).toBe(text);
    expect(forgetIn('message', '{"message":null}', PERSON)).toBe('{"message":null}');
  });
});

describe('a waiting event', () => {
  const waiting = (event: object) => JSON.stringify({ id: 'e', text: JSON.stringify(event), at: 7 });
  const own = { connection: 'main', type: 'workforce.timesheet.approved', subject: '71_1' };

  test('about the person goes as a whole, and only that of this connection', () => {
    expect(forgetIn('waiting', waiting(own), PERSON)).toBeNull();
    const other = waiting({ ...own, connection: 'second' });
    expect(forgetIn('waiting', other, PERSON)).toBe(other);
  });

  test('about a pay period lists the others', () => {
    const entries = ['71_1', '72_1'].map((timesheetId) => ({ timesheetId }));
    const closing = { ...own, type: 'workforce.pay_period.closed', subject: '9_1' };
    const kept = forgetIn('waiting', waiting({ ...closing, data: { account: { entries } } }), PERSON);
    expect(JSON.parse(JSON.parse(kept ?? '').text).data.account).toEqual({ entries: entries.slice(1) });
  });
});

describe('what is derived from timesheets', () => {
  test('has the entries of others, in their order', () => {
    expect(forgetIn('count', '[["70_1",1],["71_1",2],["72_1",3,4]]', PERSON)).toBe(
      '[["70_1",1],["72_1",3,4]]',
    );
  });

  test('has the answers about others', () => {
    const answers = { '7': [1, 'all'], '77': [2, ['1_1']] };
    expect(JSON.parse(forgetIn('answers', JSON.stringify(answers), PERSON) ?? '')).toEqual({
      '77': [2, ['1_1']],
    });
  });
});

function sealed(message: object) {
  return JSON.parse(forgetIn('message', JSON.stringify({ message, eventIds: ['7'] }), PERSON) ?? '').message;
}
