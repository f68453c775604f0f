import { expect, test } from 'vitest';
import { formatFreshness, formatSeconds } from '#cli/commands/freshness.ts';
import type { PlaceFreshness } from '#shared/freshness/report.ts';
import type { FreshnessReport } from '#shared/operator/freshness/read-freshness.ts';
import { CLI_EXAMPLES } from '#workshop/documents/cli-page.ts';

const NOTHING: PlaceFreshness = { all: null, types: [], objectives: [] };
const PUBLICATION: PlaceFreshness = {
  all: { events: 1_200, waiting: 0, lost: 0, p50: 24.04, p99: 58.2, longest: 3_725 },
  types: [
    {
      ...{ type: 'workforce.timesheet.clocked_in', class: 'clockings', events: 1_200 },
      ...{ waiting: 0, lost: 0, p50: 24.04, p99: 58.2, longest: 3_725 },
    },
  ],
  objectives: [
    {
      ...{ class: 'clockings', seconds: 60, events: 1_200, kept: 1_199 },
      late: [{ cause: 'outage', events: 1 }],
    },
  ],
};

test('each place has its types, then what kept the objective, and why the rest did not', () => {
  const webhook: PlaceFreshness = {
    all: { events: 9, waiting: 1, lost: 2, p50: 20, p99: null, longest: null },
    types: [
      {
        ...{ type: 'workforce.timesheet.clocked_in', class: 'clockings', events: 4 },
        ...{ waiting: 1, lost: 2, p50: 95, p99: null, longest: null },
      },
      {
        ...{ type: 'workforce.timesheet.approved', class: 'approvals', events: 5 },
        ...{ waiting: 0, lost: 0, p50: 20, p99: 21, longest: 21 },
      },
    ],
    objectives: [],
  };
  const lines = formatFreshness({
    objectives: { clockings: 60 },
    publication: PUBLICATION,
    receivers: [
      { to: 'webhooks/payroll', ...webhook, untried: 3, replayed: 2 },
      { to: 'slack/payroll', ...NOTHING, untried: 0, replayed: 0 },
    ],
    unmeasuredReceivers: ['webhooks/\u001b[2J'],
    unmeasured: { untimed: 5, first_sight: 0, restore: 7 },
  });
  expect(lines).toEqual([
    'to publication',
    '                      events  p50   p99   longest',
    'timesheet.clocked_in  1200    24 s  58 s  1 h 2 min',
    'clockings within 60 s: 99.9 % of 1,200 events',
    '  1 late: the source did not answer',
    '',
    'to webhooks/payroll',
    '                      events  p50   p99    longest',
    'timesheet.clocked_in  4       95 s  never  never    1 waiting, 2 given up',
    'timesheet.approved    5       20 s  21 s   21 s',
    'all                   9       20 s  never  never    1 waiting, 2 given up',
    'not counted: 3 from before its first delivery',
    'not counted: 2 that only a replay brought',
    '',
    'nothing went to slack/payroll',
    'not measured: webhooks/\\u001b[2J, in real time beside the sample company',
    'not counted: 5 told at times of our own, 7 last seen before the restore',
  ]);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('without objectives it says how to set some, without events what there was', () => {
  const report: FreshnessReport = {
    objectives: {},
    publication: { ...PUBLICATION, objectives: [] },
    receivers: [],
    unmeasuredReceivers: [],
    unmeasured: { untimed: 0, first_sight: 3, restore: 0 },
  };
  expect(formatFreshness(report).at(-1)).toBe(
    "no objectives; set objectives in the config, such as { clockings: '60s' }",
  );
  expect(formatFreshness({ ...report, publication: NOTHING })).toEqual([
    'no event in the log has a freshness',
    'not counted: 3 there at the first look',
  ]);
});

test.each([
  [0, '0.0 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [99.4, '99 s'],
  [252, '4 min 12 s'],
  [120, '2 min'],
  [3_599.6, '1 h'],
  [10_770, '3 h'],
  [11_100, '3 h 5 min'],
  [null, 'never'],
])('%d seconds are written as %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

test('the sample of docs/cli.md is what such a report prints', () => {
  const approved = { type: 'workforce.timesheet.approved', class: 'approvals', waiting: 0, lost: 0 } as const;
  const clockedIn = {
    type: 'workforce.timesheet.clocked_in',
    class: 'clockings',
    waiting: 0,
    lost: 0,
  } as const;
  const late = [
    { cause: 'outage', events: 6 },
    { cause: 'cadence', events: 1 },
  ] as const;
  const lines = formatFreshness({
    objectives: { clockings: 60 },
    publication: {
      all: { events: 4_324, waiting: 0, lost: 0, p50: 29, p99: 1_382, longest: 2_472 },
      types: [
        { ...approved, events: 3_120, p50: 31, p99: 1_448, longest: 1_731 },
        { ...clockedIn, events: 1_204, p50: 24, p99: 58, longest: 2_472 },
      ],
      objectives: [{ class: 'clockings', seconds: 60, events: 1_204, kept: 1_197, late }],
    },
    receivers: [
      {
        to: 'webhooks/payroll-system',
        all: { events: 3_120, waiting: 0, lost: 0, p50: 32, p99: 1_449, longest: 1_732 },
        types: [{ ...approved, events: 3_120, p50: 32, p99: 1_449, longest: 1_732 }],
        objectives: [],
        untried: 0,
        replayed: 0,
      },
    ],
    unmeasuredReceivers: [],
    unmeasured: { untimed: 41, first_sight: 0, restore: 0 },
  });
  const [command, ...shown] = (CLI_EXAMPLES.freshness ?? '').split('\n');
  expect(command).toBe('$ npm run notifier -- freshness --to webhooks/payroll-system --since 7d');
  expect(lines).toEqual(shown);
});
