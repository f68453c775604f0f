import { expect, test } from 'vitest';
import { type Folded, foldAll, recordKey } from '#kit/fold.ts';
import { parseEvent } from '#kit/parse-event.ts';
import { statementDigest } from '#kit/statement.ts';
import type { TimesheetEvent } from '#kit/workforce-event.ts';
import { PeriodAccount } from '#shared/account/period-account.ts';
import { toEvents } from '#shared/core/events/events.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { toManifest } from '#shared/statements/manifest.ts';
import { createChange, createEventContext, timesheet, viewOf } from '#test/support/builders.ts';

const EPOCH = Date.parse('2026-03-01T00:00:00.000Z');

test('a subscriber who folded every event has the digest of the closing, and another one without the last', () => {
  const first = live('1001_7', [
    {},
    { hoursToPay: 8 },
    { hoursToPay: 8, approvedHours: '2026-03-05T00:30:00.000Z' },
  ]);
  const second = live('1002_7', [{ hoursToPay: 6.25 }]);
  const account = new PeriodAccount();
  account.add(viewOf('2026-03-05'), [first.row, second.row]);
  const { digest } = toManifest(account, { sharing: [], source: null });

  expect(statementDigest(fold([...first.texts, ...second.texts]))).toBe(digest);
  expect(statementDigest(fold([...first.texts.slice(0, -1), ...second.texts]))).not.toBe(digest);
  expect(statementDigest(fold(first.texts))).not.toBe(digest);
});

/** A timesheet that goes through these states, with its events and the row that is stored of it. */
function live(id: string, states: readonly Record<string, unknown>[]) {
  const texts: string[] = [];
  let row: LeafRow | null = null;
  for (const [index, values] of states.entries()) {
    const before = states[index - 1];
    const known: Partial<LeafRow> =
      row === null ? {} : { sequence: row.sequence, epoch: EPOCH, sent: row.sent };
    const change = createChange(
      before === undefined ? null : timesheet({ id, ...before }),
      timesheet({ id, ...values }),
      { row: known, epoch: EPOCH },
    );
    const emitted = toEvents(change, createEventContext());
    texts.push(...emitted.texts);
    row = emitted.row;
  }
  if (row === null) throw new Error('no state');
  return { texts, row };
}

function fold(texts: readonly string[]): [string, Folded<TimesheetEvent>][] {
  const events = texts.flatMap((text) => {
    const parsed = parseEvent(text);
    return parsed.outcome === 'event' ? [parsed.event as TimesheetEvent] : [];
  });
  expect(events).toHaveLength(texts.length);
  const records = Map.groupBy(events, recordKey);
  return [...records.values()].map((own) => [
    own[0]?.data.timesheetId ?? '',
    foldAll<TimesheetEvent>(null, own).state,
  ]);
}
