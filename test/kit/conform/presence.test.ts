import { describe, expect, test } from 'vitest';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import type { AnswerCheck } from '#kit/conform/checks/check.ts';
import { createEventMaker } from '#kit/conform/event-maker.ts';
import type { CheckVerdict } from '#kit/conform/judge.ts';
import { createPresenceTracker } from '#kit/conform/presence.ts';
import { runChecks } from '#kit/conform/run-checks.ts';
import type { ReceiverAnswer } from '#kit/conform/sender.ts';

const ANSWERED: ReceiverAnswer = { outcome: 'answered', status: 204, durationMs: 1 };
const TIMEOUT = lost('timeout');
const REFUSED = lost('ECONNREFUSED');

describe('a receiver', () => {
  test.each<[string, readonly (readonly ReceiverAnswer[])[], string | null]>([
    ['that answers is there', [[ANSWERED], [ANSWERED, ANSWERED]], null],
    ['that breaks connections is there', [[lost('ECONNRESET')], [lost('EPIPE')], [lost('ECONNRESET')]], null],
    ['that refuses a connection is gone at once', [[ANSWERED], [REFUSED]], 'check 2'],
    ['that stops in the midst of a check is gone', [[ANSWERED, REFUSED]], 'check 1'],
    ['whose machine is gone is gone', [[lost('EHOSTUNREACH')]], 'check 1'],
    ['that is silent twice is there', [[TIMEOUT], [TIMEOUT]], null],
    ['that is silent three times is gone since the first', [[TIMEOUT], [TIMEOUT], [TIMEOUT]], 'check 1'],
    [
      'that cannot be connected to counts as silent',
      [[lost('UND_ERR_CONNECT_TIMEOUT')], [TIMEOUT], [TIMEOUT]],
      'check 1',
    ],
    ['that is silent, and then not there, is gone since it was silent', [[TIMEOUT], [REFUSED]], 'check 1'],
    ['that answers in between is there', [[TIMEOUT], [TIMEOUT], [ANSWERED], [TIMEOUT]], null],
    ['that answers a part of a check is there', [[TIMEOUT], [TIMEOUT], [ANSWERED, TIMEOUT]], null],
  ])('%s', (_, answers, wentAwayAt) => {
    const wentAwayAfter = createPresenceTracker();
    const told = answers.map((some, index) => wentAwayAfter(check(`check ${index + 1}`), some));
    expect(told.at(-1)).toBe(wentAwayAt);
    expect(told.slice(0, -1)).toEqual(told.slice(1).map(() => null));
  });

  test('that accepts some concurrent requests is present, although it refuses the last connections', () => {
    const wentAwayAfter = createPresenceTracker();
    expect(wentAwayAfter({ ...check('a burst'), atOnce: true }, [ANSWERED, REFUSED])).toBeNull();
    expect(wentAwayAfter({ ...check('a burst'), atOnce: true }, [REFUSED, REFUSED])).toBe('a burst');
  });
});

describe('a receiver that went away', () => {
  test('is sent nothing more', async () => {
    const { requests, verdicts } = await conformWith([ANSWERED, ANSWERED, REFUSED]);

    expect(requests).toBe(3);
    expect(verdicts.slice(0, 3)).toEqual([
      expect.objectContaining({ outcome: 'ok' }),
      {
        outcome: 'wrong',
        sent: 'an example of workforce.timesheet.changed',
        answered: 'nothing (ECONNREFUSED after 1 ms)',
        expected: '2xx',
        mend: 'nothing listens there any more: see in the log of the receiver what stopped it',
      },
      {
        outcome: 'skipped',
        sent: 'an unknown type',
        wentAwayAt: 'an example of workforce.timesheet.changed',
      },
    ]);
  });

  test('gets three chances: a check ends with its first unanswered request', async () => {
    const { requests, verdicts } = await conformWith([ANSWERED, ANSWERED, ANSWERED, TIMEOUT]);

    expect(requests).toBe(6);
    expect(verdicts.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(3);
    const skipped = verdicts.slice(5);
    expect(new Set(skipped.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
    expect(skipped.length).toBeGreaterThan(30);
  });
});

/** Gives these answers in turn, the last one for ever; the first is for the greeting. */
async function conformWith(
  answers: readonly ReceiverAnswer[],
): Promise<{ requests: number; verdicts: CheckVerdict[] }> {
  let requests = 0;
  const checks = runChecks({
    url: 'http://127.0.0.1/hook',
    kit: {
      types: ['timesheet.created', 'timesheet.changed'],
      events: createEventMaker(buildSampleEvents(), '1700000000000'),
      key: Buffer.alloc(32, 1),
      previousKey: null,
      foreignKey: Buffer.alloc(32, 2),
    },
    send: async () => answers[Math.min(requests++, answers.length - 1)] ?? ANSWERED,
    probe: null,
    now: () => 1_700_000_000_000,
  });
  const verdicts: CheckVerdict[] = [];
  for await (const verdict of checks) verdicts.push(verdict);
  return { requests, verdicts };
}

function check(sent: string): AnswerCheck {
  return { kind: 'answers', expect: 'accept', sent, requests: [], mend: 'do it right' };
}

function lost(reason: string): ReceiverAnswer {
  return { outcome: 'unanswered', reason, durationMs: 1 };
}
