import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { findFirstListed, make, startCompany, WATCHED } from './company.ts';
import type { WireEvent } from './inbox.ts';
import { type Stage, startStage } from './stage.ts';

/** Personal data, pay and keys of the source are in no event, report or log line. */

/** A token and words that cannot appear by chance. */
const TOKEN = 'canary-token-3f0c9a';
const CANARY = /canary/i;

let source: RunningSource;
let stage: Stage;
const events: WireEvent[] = [];
const reports: unknown[] = [];

beforeAll(async () => {
  source = await startCompany({ token: TOKEN });
  stage = await startStage({ source });
  events.push(...(await stage.tell()));
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('names, pay, overrides and unknown members are in no event of their record', async () => {
  const { id, department, role, shift, details } = findFirstListed(source);
  const canaries = {
    hourlyRate: '$canary',
    employee: { firstNames: 'Canary', lastName: 'Canary', address: { line1: '1 Canary Street' } },
    firstNames: 'Canary',
    address: { line1: '1 Canary Street', postalCode: 'CANARY' },
    bankAccount: 'canary',
    department: department && { ...department, name: 'Canary' },
    role: role && { ...role, name: 'Canary' },
    shift: shift && { ...shift, name: 'Canary' },
    details: details.map((detail) => ({ ...detail, note: 'canary' })),
    clockIn: {
      id: '900001_1',
      beacon: false,
      kiosk: true,
      localTime: '2026-03-02T08:00:00',
      variance: 0,
      overrideEmployee: 'Canary',
      overrideOrganisation: 'canary',
      photo: 'canary',
    },
    approvedHours: '2026-03-04T21:00:00.000Z',
  };
  make(source, { change: 'change', id });
  source.faults.add({
    times: 'always',
    operation: 'listTimesheets',
    action: { kind: 'poison-record', members: canaries },
  });

  const told = await stage.tell();
  events.push(...told);

  expect(await canariesListed()).toBeGreaterThanOrEqual(12);
  expect(told.map(({ event }) => event.subject)).toContain(id);
  expect(told.flatMap(({ event }) => event.data.changed)).toContain('approvedHours');
  expect(JSON.stringify(told)).not.toMatch(CANARY);
});

test('values of an invalid record are not in what is told of it', async () => {
  source.faults.clear();
  source.faults.add({
    times: 'always',
    operation: 'listTimesheets',
    action: {
      kind: 'poison-record',
      members: { hoursToPay: 'canary', startTime: 'canary', clockIn: { canary: 'canary' } },
    },
  });

  const told = await stage.tell();
  events.push(...told);

  expect(told.map(({ event }) => event.data.kind)).toContain('records_unreadable');
});

test('an invalid page does not get into a report', async () => {
  source.faults.clear();
  const body = { data: 'canary', people: ['Canary'] };
  source.faults.add({
    times: 'always',
    operation: 'listTimesheets',
    action: { kind: 'status', status: 200, body },
  });

  const report = await stage.poll();
  reports.push(report);

  expect(report.outcome).toBe('incomplete');
});

test('a token that the source repeats in a refusal does not get into a report', async () => {
  source.faults.clear();
  for (const [body, outcome, reason] of [
    [
      { message: `no such token: ${TOKEN}` },
      'refused',
      /^the source forbids this \(403\) at \S+; let the credential in the secret "[^"]+" read it$/,
    ],
    [`Bearer ${TOKEN} is not known`, 'incomplete', /a firewall or proxy between refused it/],
  ] as const) {
    source.faults.add({ times: 'always', action: { kind: 'status', status: 403, body } });
    const report = await stage.poll();
    source.faults.clear();
    reports.push(report);
    expect(report).toMatchObject({
      outcome,
      reasons: expect.arrayContaining([expect.stringMatching(reason)]),
    });
  }
});

test('none of it is in any message, report or log line', async () => {
  source.faults.clear();
  events.push(...(await stage.tell()));
  const log = stage.log();

  expect(events.length).toBeGreaterThanOrEqual(5);
  expect(reports).toHaveLength(3);
  expect(log.split('\n').filter((line) => line.includes('poll.completed')).length).toBeGreaterThanOrEqual(5);
  expect(JSON.stringify(events)).not.toMatch(CANARY);
  expect(JSON.stringify(events)).not.toMatch(/hourlyRate|override|firstNames|lastName|\$\d/);
  expect(JSON.stringify(reports)).not.toMatch(CANARY);
  expect(log.split('\n').filter((line) => CANARY.test(line))).toEqual([]);
});

/** Canaries in the timesheets of the source, without the token. */
async function canariesListed(): Promise<number> {
  const { from, to } = WATCHED;
  const response = await fetch(`${source.baseUrl}/api/v1/timesheets?dateFrom=${from}&dateTo=${to}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return (await response.text()).match(/canary/gi)?.length ?? 0;
}
