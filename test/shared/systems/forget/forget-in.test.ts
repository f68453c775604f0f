import { describe, expect, test } from 'vitest';
import { forgetIn, type Person } from '#shared/systems/forget/forget-in.ts';
import { FORGOTTEN_TEXT } from '#shared/systems/forget/forgotten-event.ts';

const PERSON: Person = {
  connection: 'main',
  employeeId: '7',
  timesheets: new Set(['71_1']),
  events: new Set(),
  name: 'Ana Lee',
};

describe('a waiting message', () => {
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
    expect(sealed({ title: text }).title).toBe(isAbout ? FORGOTTEN_TEXT : text);
  });

  test('keeps its form, and what is about others', () => {
    const message = {
      title: '2 timesheets approved',
      lines: ['Ana Lee: approved', 'Bo Chen: approved'],
      inner: [false, true],
      more: 3,
      at: 7,
    };
    expect(sealed(message)).toEqual({ ...message, lines: [FORGOTTEN_TEXT, 'Bo Chen: approved'] });
  });

  test('of which nothing is about the person is the same text', () => {
    const text = '{ "message": {"title":"Bo Chen: approved"} }';
    expect(forgetIn('message', text, PERSON)).toBe(text);
  });

  test.each([
    ['an alert about one', 'alert', { connection: 'main', subject: '71_1', line: 'approved' }],
  ] as const)('%s goes as a whole, and only that of this connection', (_, kind, value) => {
    expect(forgetIn(kind, JSON.stringify(value), PERSON)).toBeNull();
    const other = JSON.stringify(value).replace('main', 'second');
    expect(forgetIn(kind, other, PERSON)).toBe(other);
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
  return JSON.parse(forgetIn('message', JSON.stringify({ message, alertIds: ['7'] }), PERSON) ?? '').message;
}
