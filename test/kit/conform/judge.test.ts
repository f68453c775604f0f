import { describe, expect, test } from 'vitest';
import { formatJsonReport, formatSummary, formatVerdict } from '#cli/commands/conform.ts';
import type { Expectation } from '#kit/conform/checks/check.ts';
import { type CheckVerdict, judge } from '#kit/conform/judge.ts';
import type { ReceiverAnswer } from '#kit/conform/sender.ts';

const CHECK = { sent: 'an event', mend: 'do it right' };
const REFUSES =
  'a valid signature was refused: compare the secret with that of your receiver, verify the raw bytes of the body, and check the clock of its machine';

describe('an answer', () => {
  test.each<[Expectation, number, 'ok' | 'wrong']>([
    ['accept', 200, 'ok'],
    ['accept', 202, 'ok'],
    ['accept', 299, 'ok'],
    ['accept', 199, 'wrong'],
    ['accept', 302, 'wrong'],
    ['accept', 400, 'wrong'],
    ['accept', 500, 'wrong'],
    ['refuse', 400, 'ok'],
    ['refuse', 401, 'ok'],
    ['refuse', 499, 'ok'],
    ['refuse', 410, 'wrong'],
    ['refuse', 204, 'wrong'],
    ['refuse', 301, 'wrong'],
    ['refuse', 500, 'wrong'],
    ['survive', 200, 'ok'],
    ['survive', 302, 'ok'],
    ['survive', 405, 'ok'],
    ['survive', 410, 'wrong'],
    ['survive', 500, 'wrong'],
  ])('where it must %s, of status %i is %s', (expectation, status, outcome) => {
    expect(judge(CHECK, expectation, [answered(status)]).outcome).toBe(outcome);
  });

  test('that is wrong outweighs correct ones, and the first wrong one counts', () => {
    expect(judge(CHECK, 'accept', [answered(204), answered(500, 3), answered(404)])).toEqual({
      outcome: 'wrong',
      sent: 'an event',
      answered: '500 in 3 ms',
      expected: '2xx',
      mend: 'do it right',
    });
  });

  test.each<[Expectation, number, true | undefined, string]>([
    ['accept', 401, undefined, REFUSES],
    ['accept', 403, undefined, REFUSES],
    ['accept', 401, true, 'do it right'],
    ['accept', 400, undefined, 'do it right'],
    ['survive', 500, undefined, 'do it right'],
  ])('where it must %s, of status %i, has the advice of its check', (...[expectation, status, own, mend]) => {
    const check = { ...CHECK, ...(own === undefined ? {} : { mendsRefusal: own }) };
    expect(judge(check, expectation, [answered(status)])).toMatchObject({ outcome: 'wrong', mend });
  });

  test.each([
    [5_000, { outcome: 'ok', expected: '2xx', mend: null }],
    [
      5_001,
      {
        outcome: 'slow',
        expected: '2xx within 5 s',
        mend: 'answer before processing: store the event, answer 2xx, then process it',
      },
    ],
  ])('after %i ms is correct, and slow beyond five seconds', (durationMs, verdict) => {
    expect(judge(CHECK, 'accept', [answered(204), answered(204, durationMs)])).toEqual({
      sent: 'an event',
      answered: `204 in ${durationMs} ms`,
      ...verdict,
    });
  });
});

describe('a report', () => {
  const verdicts = [
    judge(CHECK, 'accept', [answered(204, 2.6)]),
    judge(CHECK, 'accept', [answered(204, 6_000)]),
    judge({ ...CHECK, sent: 'a forged event' }, 'refuse', [answered(200, 1)]),
  ];

  test('has one line per check, and one below it on how to fix what is wrong', () => {
    expect(verdicts.map((verdict) => formatVerdict(verdict, false)).join('\n')).toBe(
      [
        'ok     an event: 204 in 3 ms',
        'slow   an event: 204 in 6000 ms, expected 2xx within 5 s',
        '       -> answer before processing: store the event, answer 2xx, then process it',
        'wrong  a forged event: 200 in 1 ms, expected 4xx, but not 410',
        '       -> do it right',
      ].join('\n'),
    );
  });

  test('has colours when requested', () => {
    expect(verdicts.map((verdict) => formatVerdict(verdict, true)?.slice(0, 9))).toEqual([
      '\u001b[32mok  ',
      '\u001b[33mslow',
      '\u001b[31mwron',
    ]);
  });

  test.each([
    [verdicts, '2 of 3 checks hold, 1 of them slowly'],
    [verdicts.slice(0, 1), '1 of 1 checks hold'],
  ])('ends with how many checks hold', (some, summary) => {
    expect(formatSummary(some)).toEqual([summary]);
  });

  test.each<[string, readonly CheckVerdict[], readonly string[]]>([
    [
      'no probe was given',
      [skipped(null), skipped(null)],
      ['not checked: whether repeats are dropped and order is kept (2 checks); pass --probe'],
    ],
    [
      'the receiver went away',
      [skipped('a GET')],
      ['your receiver stopped answering at "a GET": 1 check not run'],
    ],
    [
      'both',
      [skipped('a GET'), skipped('a GET'), skipped(null)],
      [
        'your receiver stopped answering at "a GET": 2 checks not run',
        'not checked: whether repeats are dropped and order is kept (1 check); pass --probe',
      ],
    ],
  ])('has no line for a skipped check, and says at the end why: %s', (_, left, lines) => {
    expect(left.map((verdict) => formatVerdict(verdict, false))).toEqual(left.map(() => null));
    expect(formatSummary([...verdicts, ...left])).toEqual(['2 of 3 checks hold, 1 of them slowly', ...lines]);
  });

  test('as JSON holds everything', () => {
    expect(JSON.parse(formatJsonReport([...verdicts, skipped('a GET')]))).toEqual({
      summary:
        '2 of 3 checks hold, 1 of them slowly; your receiver stopped answering at "a GET": 1 check not run',
      holding: 2,
      of: 3,
      skipped: 1,
      checks: verdicts,
    });
  });
});

function skipped(wentAwayAt: string | null): CheckVerdict {
  return { outcome: 'skipped', sent: 'another event', wentAwayAt };
}

function answered(status: number, durationMs = 1): ReceiverAnswer {
  return { outcome: 'answered', status, durationMs };
}
