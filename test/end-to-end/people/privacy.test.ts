import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { findFirstListed, make, startCompany, TODAY, WATCHED } from '../company.ts';
import { type PeopleStage, startPeopleStage, synthesizePeople } from './stage.ts';

/** Names appear only where the config allows them; pay and keys appear nowhere. */

const TOKEN = 'canary-token-3f0c9a';
const CANARY = /canary/i;

let source: RunningSource;
let stage: PeopleStage;
let close: () => void;
/** Request bodies by receiver. */
const sent = new Map<string, string[]>();

beforeAll(() => synthesizePeople());

beforeAll(async () => {
  source = await startCompany({ token: TOKEN });
  const world = await openWorld();
  close = world.close;
  stage = await startPeopleStage({
    source,
    slackUrl: `${world.url}/slack`,
    webhookUrl: `${world.url}/webhook`,
  });
  await stage.tell();
  await happen();
});

afterAll(async () => {
  await stage?.stop();
  close();
  await source?.close();
});

test('every receiver got something', () => {
  expect([...sent.keys()].toSorted()).toEqual(['/slack/managers', '/slack/payroll', '/webhook']);
  expect([...sent.values()].every((bodies) => bodies.length > 0)).toBe(true);
  expect(mails()).not.toBe('');
});

test('names of departments are shown to people alone', () => {
  const names = source.company.departments().map(({ name }) => name);
  for (const told of [bodiesTo('/slack/managers'), bodiesTo('/slack/payroll'), mails()]) {
    expect(names.filter((name) => told.includes(name)).length).toBeGreaterThan(0);
  }
  const elsewhere = [bodiesTo('/webhook'), stage.log()].join('\n');
  expect(names.filter((name) => elsewhere.includes(name))).toEqual([]);
});

test('names of employees, which the config does not list, are nowhere', () => {
  const employees = source.company.employees();
  const people = employees.flatMap(({ firstNames, lastName }) => [`${firstNames} ${lastName}`, lastName]);
  expect(people.length).toBeGreaterThan(50);
  const all = everything();
  expect(people.filter((name) => all.includes(name))).toEqual([]);
});

test('unwatched data of the source about pay, people and keys is nowhere', () => {
  expect(everything()).not.toMatch(CANARY);
  expect(everything()).not.toMatch(/hourlyRate|override|\$\d/);
});

test('no log line of the functions holds an address, a secret or the text of an alert', () => {
  const log = stage.log();
  expect(log.split('\n').filter((line) => line.includes('alerts.'))).not.toEqual([]);
  expect(log.split('\n').filter((line) => line.includes('delivery.attempted'))).not.toEqual([]);
  expect(log).not.toContain('acme.example');
  expect(log).not.toContain('/slack/');
  expect(log).not.toContain('/webhook"');
  expect(log).not.toContain('whsec_');
  expect(log).not.toContain(stage.secret.slice('whsec_'.length));
  const headings = [...sent].flatMap(([path, bodies]) =>
    path.startsWith('/slack/') ? bodies.map((body) => String(JSON.parse(body).text).split('\n')[0]) : [],
  );
  expect(headings.length).toBeGreaterThan(0);
  expect(headings.filter((heading) => log.includes(String(heading)))).toEqual([]);
});

/** Changes that reach every receiver, on records with too much data. */
async function happen(): Promise<void> {
  const { id, department } = findFirstListed(source);
  source.faults.add({
    times: 'always',
    operation: 'listTimesheets',
    action: {
      kind: 'poison-record',
      members: {
        hourlyRate: '$canary',
        employee: { firstNames: 'Canary', lastName: 'Canary' },
        department: department && { ...department, name: 'Canary' },
        bankAccount: 'canary',
        approvedHours: '2026-03-04T21:00:00.000Z',
      },
    },
  });
  await stage.tell();
  source.faults.clear();
  make(source, { change: 'change', id });
  const period = { startDate: '2026-03-02', finishDate: '2026-03-04' };
  const { id: periodId } = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...period });
  const created = make(source, { change: 'create', date: TODAY });
  await stage.tell();
  make(source, { change: 'approve', id: created.id });
  make(source, { change: 'close-pay-period', id: periodId });
  await stage.tell();
  const late = source.company.timesheets(WATCHED).filter(({ processed }) => processed !== null);
  for (const each of late) make(source, { change: 'change', id: each.id });
  await stage.tell();
}

function bodiesTo(path: string): string {
  return (sent.get(path) ?? []).join('\n');
}

function mails(): string {
  return stage.shown.join('\n');
}

function everything(): string {
  return [...[...sent.values()].flat(), mails(), stage.log()].join('\n');
}

/** A server that accepts and stores all requests. */
async function openWorld() {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    sent.set(path, [...(sent.get(path) ?? []), Buffer.concat(chunks).toString()]);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
