import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLastAnnouncement } from '#local/aws/engines/announcement.ts';
import { system } from '#shared/adapters/system/system.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { PublishedWatermark } from '#shared/core/snapshot/watermark-memory.ts';
import { checkDeliveries } from '#shared/operator/doctor/delivery-checks.ts';
import { judgeFeed, judgeWatermark } from '#shared/operator/doctor/state-checks.ts';
import type { Target } from '#shared/operator/target.ts';

const HOUR_MS = 3_600_000;
const COMPLETED_AT = Date.parse('2026-03-05T01:00:00Z');
const TOLD: PublishedWatermark = {
  ...{ id: 'a1', at: COMPLETED_AT, tableId: null, readAt: COMPLETED_AT, counted: [] },
  through: { hot: COMPLETED_AT - 60_000, all: null },
};

describe('a feed of a company that lived 600 times as fast', () => {
  const target = (hours: number, values: Partial<Target>) => ({
    system: { ...system, now: () => COMPLETED_AT + hours * HOUR_MS },
    speed: 1,
    ...values,
  });
  const judge = (hours: number, values: Partial<Target>, waiting = 0) => {
    const state = { ...EMPTY_FEED_STATE, completedAt: COMPLETED_AT };
    return judgeFeed(
      'main timesheets',
      { state, heads: [], waiting, silentMinutes: 15 },
      target(hours, values),
    );
  };

  test('raises no warning because its clock is hours ahead of its last poll, running or stopped', () => {
    expect(judge(5, { speed: 600 })).toMatchObject({ outcome: 'ok' });
    expect(judge(5, { isStopped: true })).toMatchObject({
      outcome: 'ok',
      says: 'last complete poll 300 min ago, then npm start was stopped; no events waiting',
    });
    expect(judge(-5, {})).toMatchObject({
      outcome: 'ok',
      says: 'last complete poll less than a minute ago; no events waiting',
    });
  });

  test('raises a warning when polls are overdue', () => {
    expect(judge(5, {})).toMatchObject({ outcome: 'warning', says: 'last complete poll 300 min ago' });
    expect(judge(200, { speed: 600 })).toMatchObject({ outcome: 'warning' });
    expect(judge(5, { isStopped: true }, 2)).toMatchObject({ outcome: 'warning' });
  });
});

test('a feed is silent after its own time', () => {
  const judge = (minutes: number) =>
    judgeFeed(
      'main employees',
      {
        ...{ state: { ...EMPTY_FEED_STATE, completedAt: COMPLETED_AT }, heads: [], waiting: 0 },
        silentMinutes: 60,
      },
      {
        system: { ...system, now: () => COMPLETED_AT + minutes * 60_000 },
        speed: 1,
      },
    ).outcome;
  expect([judge(59), judge(61)]).toEqual(['ok', 'warning']);
});

describe('the watermark of a feed', () => {
  const judge = (minutes: number, told: Partial<PublishedWatermark> | null) =>
    judgeWatermark('watermark of main timesheets', told === null ? null : { ...TOLD, ...told }, {
      system: { ...system, now: () => TOLD.at + minutes * 60_000 },
      speed: 1,
    });

  test('is said as it was told last', () => {
    expect(judge(6, {})).toMatchObject({
      outcome: 'ok',
      says: 'told at 2026-03-05T01:00:00.000Z: complete hot dates through 2026-03-05T00:59:00.000Z, all dates nothing',
    });
    const same = { hot: TOLD.at, all: TOLD.at };
    expect(judge(6, { through: same })).toMatchObject({
      says: 'told at 2026-03-05T01:00:00.000Z: complete through 2026-03-05T01:00:00.000Z',
    });
  });

  test('that does not come any more, or never came, is a warning', () => {
    expect(judge(15, {})).toMatchObject({ outcome: 'ok' });
    expect(judge(16, {})).toMatchObject({ outcome: 'warning' });
    expect(judge(0, null)).toMatchObject({ outcome: 'warning', says: 'none was told yet' });
  });
});

describe('a run with --output ndjson, which delivers no alerts', () => {
  const deliveries = (values: Partial<Target>) =>
    checkDeliveries({
      config: {
        people: { channels: [{ kind: 'slack', name: 'payroll', secretName: 'notifier/slack/payroll' }] },
        webhooks: [],
      },
      connections: [],
      readSecret: () => async () => '',
      ...values,
    } as unknown as Target);

  test('has no address of a Slack channel, and nothing is wrong with that', async () => {
    expect(await deliveries({ tellsPeople: false })).toEqual([
      { about: 'slack payroll', outcome: 'ok', says: 'this run delivers no alerts; they wait' },
    ]);
  });

  test('differs from a run that delivers alerts and has no address', async () => {
    expect(await deliveries({ tellsPeople: true })).toMatchObject([{ outcome: 'wrong' }]);
    expect(await deliveries({})).toMatchObject([{ outcome: 'wrong' }]);
  });
});

describe('a machine that did not announce whether it delivers alerts', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'machine-'));
  });
  afterEach(() => {
    rmSync(path, { recursive: true, force: true });
  });

  test('delivers them', () => {
    const connection = { name: 'main', baseUrl: 'http://127.0.0.1:1', timeZone: 'UTC', secretName: 'main' };
    const endpoints = { dynamoDb: '', messaging: '', secretsManager: '', accessKeyId: '' };
    writeFileSync(
      join(path, 'machine.json'),
      JSON.stringify({ endpoints, assembly: '', clock: null, connection }),
    );

    expect(readLastAnnouncement(path)).toMatchObject({ tellsPeople: true });
  });
});
