import { expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { type ConnectionState, EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import {
  type Explanation,
  explainMissing,
  explainRecord,
  type StoredConnection,
} from '#shared/operator/explain-record.ts';
import { DATE, MINUTE_MS, NOW, storedRow, timesheet } from '#test/support/builders.ts';

const NAME = `timesheets#${DATE}`;
const FAILING = { since: NOW - MINUTE_MS, attempts: 2, nextAt: NOW, code: 'source_failed' } as const;
const DOUBT = {
  since: NOW - MINUTE_MS,
  after: null,
  records: 12,
  losses: [{ from: 0, digest: '', at: NOW - MINUTE_MS }],
};

const CLOCK = '2026-03-05 01:01:00';
const EARLIER = '2026-03-05 01:00:00';
const FIRST_READ = 'baseline known since 2026-03-01 00:00:00';
const APPROVED = { row: { sequence: 1 }, lastType: 'workforce.timesheet.approved' };
const BAD = { text: '[]', issues: ['hoursToPay'] };
const UNREACHABLE = { polls: 3, since: NOW, code: 'source_unreachable' } as const;

test.each<[string, Situation, string[]]>([
  ['of the first read, whose date is looked at', {}, [FIRST_READ, `unchanged last look ${CLOCK}`]],
  [
    'with events that its log has no more',
    { row: { sequence: 3 } },
    ['log_expired 3 events', `unchanged last look ${CLOCK}`],
  ],
  [
    'of a date that cannot be read: whether it changed nobody knows',
    { ...APPROVED, state: { failing: { [NAME]: FAILING } } },
    [`source_failed ${NAME}, since ${EARLIER}`],
  ],
  [
    'of a source that does not answer',
    { state: { unreachable: UNREACHABLE } },
    [FIRST_READ, `source_unreachable since ${CLOCK}`],
  ],
  [
    'of a date that nobody looked at for an hour',
    { ...APPROVED, state: { lookedAt: { [NAME]: NOW - 60 * MINUTE_MS } } },
    ['overdue last look 2026-03-05 00:01:00, due every 1 min'],
  ],
  [
    'of a date in doubt',
    { ...APPROVED, head: { doubt: DOUBT } },
    [`doubtful ${NAME}: 12 of 20 records, since ${EARLIER}`],
  ],
  ['that cannot be read', { row: { bad: BAD } }, [FIRST_READ, 'records_unreadable hoursToPay']],
  ['that could never be read', { row: { text: null, bad: BAD } }, ['never_readable hoursToPay']],
  [
    'that its list leaves out',
    { head: { unlisted: { ids: ['1_7'], askedAt: NOW } } },
    [FIRST_READ, `unlisted asked for by id ${CLOCK}`],
  ],
  [
    'whose events wait for their topic',
    { ...APPROVED, row: { sequence: 2 }, unpublished: 2 },
    ['topic_refuses 2 events'],
  ],
])('one %s', (_, situation, expected) => {
  expect(show(explain(situation))).toEqual(expected);
});

test('of a record that is nowhere, all that may hide it is said', () => {
  const failing = Object.fromEntries(
    ['03-01', '03-02', '03-03', '03-04', '03-05', '03-06'].map((day) => [`timesheets#2026-${day}`, FAILING]),
  );
  const connection = connect({ state: { failing, lookedAt: { [NAME]: NOW } }, head: { doubt: DOUBT } });
  expect(show(explainMissing(connection))).toEqual([
    'source_failed timesheets#2026-03-01, timesheets#2026-03-02, timesheets#2026-03-03, timesheets#2026-03-04, timesheets#2026-03-05 and 1 more, since 2026-03-05 01:00:00',
    expect.stringMatching(/^baseline_open not read yet: timesheets#2026-02-26, .* and \d+ more$/),
    `doubtful ${NAME}: 12 of 20 records, since 2026-03-05 01:00:00`,
    'unknown_record timesheets of 2026-02-26 to 2026-03-12 are watched, each looked at since 2026-03-05 01:01:00',
  ]);
});

interface Situation {
  readonly row?: Partial<StoredRow>;
  readonly state?: Partial<ConnectionState>;
  readonly head?: Partial<Head>;
  readonly lastType?: string;
  readonly unpublished?: number;
}

function explain({ row = {}, lastType, unpublished = 0, ...situation }: Situation): Explanation[] {
  const stored = { slice: DATE, row: { ...storedRow(timesheet({ id: '1_7' })), sequence: 0, ...row } };
  const known = { feed: 'timesheets', stored, lastType: lastType ?? null, unpublished } as const;
  return explainRecord(known, connect(situation));
}

function connect({ state = {}, head = {} }: Pick<Situation, 'state' | 'head'>): StoredConnection {
  return {
    connection: connectionSchema.parse({
      ...{ name: 'main', baseUrl: 'https://workforce.example.com', timeZone: 'UTC', secretName: 'main' },
      window: { backDays: 7, forwardDays: 7 },
    }),
    ...{ polled: PAY_FEEDS, published: PAY_FEEDS, now: NOW, speed: 1 },
    state: { ...EMPTY_STATE, lookedAt: { [NAME]: NOW }, baselined: { timesheets: NOW }, ...state },
    heads: [
      {
        ...createHead({ feed: 'timesheets', slice: DATE }),
        buckets: [{ from: 0, count: 20, digest: '' }],
        ...head,
      },
    ],
  };
}

function show(explanations: readonly Explanation[]): string[] {
  return explanations.map(({ reason, about }) => `${reason} ${about}`);
}
