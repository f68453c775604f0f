import { describe, expect, test } from 'vitest';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import { holdsOf, viewSlice } from '#shared/period/period-account.ts';
import { DATE, EARLIER, NEXT_DATE, NOW, SECOND_MS } from '#test/support/builders.ts';
import { heldView, viewOf } from './views.ts';

const KEY = { feed: 'timesheets', slice: DATE } as const;
const LATER = EARLIER + SECOND_MS;
const NAME = `timesheets#${DATE}`;
const FAILING = { since: EARLIER, attempts: 1, nextAt: NOW, code: 'source_failed' } as const;

test.each<[string, Partial<Head>, Record<string, number>, number | null]>([
  ['when its last complete look began', {}, { [NAME]: LATER }, LATER],
  ['at its first look while the state is older than the head', {}, {}, EARLIER],
  ['not when another date was', {}, { [`timesheets#${NEXT_DATE}`]: LATER }, EARLIER],
  ['never, where records only moved to it', { baselinedAt: null }, { [NAME]: LATER }, null],
])('a date was looked at %s', (_, head, lookedAt, expected) => {
  expect(view(head, lookedAt)).toMatchObject({
    lookedAt: expected,
    doubts: expected === null ? [{ kind: 'unread' }] : [],
  });
});

test('one that is not stored was never read', () => {
  const known = { lookedAt: { [NAME]: LATER }, failing: {} };
  expect(viewSlice(DATE, undefined, known)).toEqual(
    viewOf(DATE, { lookedAt: null, doubts: [{ kind: 'unread' }] }),
  );
});

describe('a date', () => {
  test('is in doubt while its head says so', () => {
    const doubt = { since: LATER, after: null, records: 12, losses: [] };
    expect(view({ doubt }).doubts).toEqual([{ kind: 'held', since: LATER }]);
    expect(holdsOf([heldView(DATE, LATER), viewOf(NEXT_DATE), view({ baselinedAt: null })])).toEqual([LATER]);
  });

  test('may have what its list leaves out, until that is asked for', () => {
    const unlisted = { ids: ['1_7'], askedAt: LATER };
    expect([...view({ unlisted }).unseen]).toEqual([]);
    expect([...view({ unlisted }, { [NAME]: NOW }).unseen]).toEqual(['1_7']);
  });

  test('is failing while its looks are not complete', () => {
    expect(view({}).isFailing).toBe(false);
    expect(viewSlice(DATE, createHead(KEY), { lookedAt: {}, failing: { [NAME]: FAILING } }).isFailing).toBe(
      true,
    );
  });
});

function view(head: Partial<Head>, lookedAt: Record<string, number> = {}) {
  return viewSlice(DATE, { ...createHead(KEY), baselinedAt: EARLIER, ...head }, { lookedAt, failing: {} });
}
