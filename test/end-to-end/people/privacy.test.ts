import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, serveOnLoopback } from '#local/loopback-server.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { FaultAction } from '#test/support/source-faults.ts';
import { type FaultySource, findFirstListed, make, startCompany, TODAY, WATCHED } from '../company.ts';
import type { WireEvent } from '../inbox.ts';
import { type PeopleStage, startPeopleStage } from './stage.ts';

/** Names appear only where the config allows them; pay, keys and what is not watched appear nowhere. */

/** A token and words that cannot appear by chance. */
const TOKEN = 'canary-token-3f0c9a';
const CANARY = /canary/i;

let source: FaultySource;
let world: LoopbackServer;
let stage: PeopleStage;
/** Request bodies by receiver. */
const sent = new Map<string, string[]>();
const events: WireEvent[] = [];
const reports: PollReport[] = [];

beforeAll(async () => {
  source = await startCompany({ token: TOKEN });
  world = await serveOnLoopback(async (request, response) => {
    const path = request.url ?? '';
    sent.set(path, [...(sent.get(path) ?? []), await text(request)]);
    const isBot = path.endsWith('/chat.postMessage');
    response.end(isBot ? '{"ok":true,"ts":"1.1"}' : 'ok');
  });
  const slackUrl = `${world.endpoint}/slack`;
  stage = await startPeopleStage({ source, slackUrl, webhookUrl: `${world.endpoint}/webhook` });
  await stage.tell();
  await tellPoisoned();
  await happen();
  await meetBadAnswers();
  events.push(...(await stage.inbox.take()));
});

afterAll(async () => {
  await stage?.stop();
  await world?.stop();
  await source?.close();
});

test('every receiver got something, of the poisoned record as well', () => {
  expect([...sent.keys()].map((path) => path.split('/').slice(0, 3).join('/')).toSorted()).toEqual([
    '/slack/managers',
    '/slack/payroll',
    '/webhook',
  ]);
  expect(mails()).not.toBe('');
  const told = events.map(({ event }) => event.data);
  expect(told.flatMap(({ changed = [] }) => changed)).toContain('approvedHours');
  expect(told.map(({ kind }) => kind)).toContain('records_unreadable');
  expect(reports.map(({ outcome }) => outcome)).toEqual(['incomplete', 'refused', 'incomplete']);
});

test('names of departments are shown to people alone', () => {
  const names = source.company.departments().map(({ name }) => name);
  for (const told of [bodiesTo('/slack/managers'), bodiesTo('/slack/payroll'), mails()]) {
    expect(names.filter((name) => told.includes(name)).length).toBeGreaterThan(0);
  }
  const elsewhere = [bodiesTo('/webhook'), JSON.stringify(events), stage.log()].join('\n');
  expect(names.filter((name) => elsewhere.includes(name))).toEqual([]);
});

test('names of employees, which the config does not list, are nowhere', () => {
  const employees = source.company.employees();
  const people = employees.flatMap(({ firstNames, lastName }) => [`${firstNames} ${lastName}`, lastName]);
  expect(people.length).toBeGreaterThan(50);
  const all = everything();
  expect(people.filter((name) => all.includes(name))).toEqual([]);
});

test('pay, overrides, the token, and what else is not watched are nowhere', () => {
  const all = everything();
  expect(all).not.toMatch(CANARY);
  expect(all).not.toMatch(/hourlyRate|override|firstNames|lastName|\$\d/);
});

test('no log line of the functions holds an address, a secret or the text of a message', () => {
  const log = stage.log();
  for (const line of ['poll.completed', 'alerts.released', 'delivery.attempted']) expect(log).toContain(line);
  for (const hidden of ['acme.example', '/slack/', '/webhook"', 'whsec_', 'xoxb', stage.secret.slice(6)])
    expect(log).not.toContain(hidden);
  const headings = bodiesTo('/slack/payroll')
    .split('\n')
    .map((body) => String(JSON.parse(body).text).split('\n')[0] ?? '');
  expect(headings.length).toBeGreaterThan(0);
  expect(headings.filter((heading) => log.includes(heading))).toEqual([]);
});

/** A record with more than is watched, and then with what cannot be read. */
async function tellPoisoned(): Promise<void> {
  const { id, department, role, shift, details } = findFirstListed(source);
  const clockIn = {
    id: '900001_1',
    beacon: false,
    kiosk: true,
    localTime: '2026-03-02T08:00:00',
    variance: 0,
  };
  const address = { line1: '1 Canary Street', postalCode: 'CANARY' };
  poison({
    ...{ hourlyRate: '$canary', bankAccount: 'canary', firstNames: 'Canary', address },
    employee: { firstNames: 'Canary', lastName: 'Canary', address },
    department: department && { ...department, name: 'Canary' },
    role: role && { ...role, name: 'Canary' },
    shift: shift && { ...shift, name: 'Canary' },
    details: details.map((detail) => ({ ...detail, note: 'canary' })),
    clockIn: { ...clockIn, overrideEmployee: 'Canary', overrideOrganisation: 'canary', photo: 'canary' },
    approvedHours: '2026-03-04T21:00:00.000Z',
  });
  make(source, { change: 'change', id });
  await stage.tell();
  expect(await countListed()).toBeGreaterThanOrEqual(12);
  source.faults.clear();
  poison({ hoursToPay: 'canary', startTime: 'canary', clockIn: { canary: 'canary' } });
  await stage.tell();
  source.faults.clear();
}

function poison(members: Extract<FaultAction, { kind: 'poison-record' }>['members']): void {
  const action = { kind: 'poison-record', members } as const;
  source.faults.add({ times: 'always', operation: 'listTimesheets', action });
}

/** Changes that reach every receiver. */
async function happen(): Promise<void> {
  const period = { startDate: '2026-03-02', finishDate: '2026-03-04' };
  const { id: periodId } = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...period });
  const created = make(source, { change: 'create', date: TODAY });
  await stage.tell();
  make(source, { change: 'approve', id: created.id });
  make(source, { change: 'close-pay-period', id: periodId });
  await stage.tell();
  const late = source.company.timesheets(WATCHED).filter(({ processed }) => processed !== null);
  for (const { id } of late) make(source, { change: 'change', id });
  await stage.tell();
}

/** A page that makes no sense, and refusals in which the source repeats the token. */
async function meetBadAnswers(): Promise<void> {
  const answers: readonly FaultAction[] = [
    { kind: 'status', status: 200, body: { data: 'canary', people: ['Canary'] } },
    { kind: 'status', status: 403, body: { message: `no such token: ${TOKEN}` } },
    { kind: 'status', status: 403, body: `Bearer ${TOKEN} is not known` },
  ];
  for (const action of answers) {
    source.faults.add({ times: 'always', action });
    reports.push(await stage.poll());
    source.faults.clear();
  }
}

/** Canaries in the timesheets of the source, without the token. */
async function countListed(): Promise<number> {
  const { from, to } = WATCHED;
  const response = await fetch(`${source.baseUrl}/api/v1/timesheets?dateFrom=${from}&dateTo=${to}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return (await response.text()).match(/canary/gi)?.length ?? 0;
}

function bodiesTo(path: string): string {
  return [...sent].flatMap(([to, bodies]) => (to.startsWith(path) ? bodies : [])).join('\n');
}

function mails(): string {
  return stage.shown.join('\n');
}

/** Whatever left the functions. */
function everything(): string {
  const told = events.map(({ text }) => text);
  return [...[...sent.values()].flat(), ...told, mails(), JSON.stringify(reports), stage.log()].join('\n');
}
