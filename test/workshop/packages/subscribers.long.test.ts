import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as kit from 'workforce-change-notifier';
import * as testing from 'workforce-change-notifier/testing';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { listFiles } from '#workshop/packages/package-folder.ts';
import { apiReportOf, PUBLIC_MODULES, renderApiReport } from '#workshop/packages/release.ts';
import { build, type ForeignProject, installPackage, listImports, pack, runIn } from './foreign-project.ts';

const NAME = 'workforce-change-notifier';
const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;

let project: ForeignProject;

beforeAll(() => {
  project = installPackage(NAME);
});

afterAll(() => project.remove());

describe('the package', () => {
  it('is the same to the byte when it is built again', () => {
    const folder = build(NAME);
    const { integrity } = pack(join(folder, NAME), folder);
    rmSync(folder, { recursive: true });
    expect(integrity).toMatch(/^sha512-/);
    expect(integrity).toBe(project.digest);
  });

  it('holds the build, the documents, and nothing else', () => {
    const { packed } = project;
    const others = packed.filter(
      (path) => !/^(kit|shared|docs)\/|^(LICENSE|README\.md|package\.json)$/.test(path),
    );
    expect(others).toEqual([]);
    expect(packed.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    expect(packed.filter((path) => /infra|functions|adapters|flow/.test(path))).toEqual([]);
    for (const document of [
      'asyncapi.json',
      'events.md',
      'events/timesheet.approved.md',
      'subscribing.md',
      'webhooks.md',
    ]) {
      expect(packed).toContain(`docs/${document}`);
    }
  });

  it('is below 10 MB with what it depends on, and introduces itself in 60 lines', () => {
    const others = ['zod', 'standardwebhooks'].flatMap((name) => listFiles(resolve('node_modules', name)));
    const bytes = others.reduce((sum, path) => sum + statSync(path).size, project.unpackedBytes);
    expect(bytes).toBeGreaterThan(project.unpackedBytes);
    expect(bytes).toBeLessThan(10_000_000);
    expect(project.read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('makes subscribers install what it imports, and nothing that only the functions need', () => {
    const imported = project.packed
      .filter((path) => path.endsWith('.js'))
      .flatMap((path) => listImports(project.read(path)));
    const { dependencies = {}, ...packageFile } = project.packageFile;
    expect(packageFile).not.toHaveProperty('optionalDependencies');
    expect(packageFile).not.toHaveProperty('peerDependencies');
    expect(Object.keys(dependencies).sort()).toEqual([...new Set(imported)].sort());
    expect(imported).toContain('zod');
  });

  describe('from JavaScript', () => {
    it('works', () => {
      const { node, told } = JSON.parse(project.runScript('consumer.mjs', CONSUMER));
      expect(node).toBe(process.version);
      expect(told).toEqual([
        ...[true, 9, SHORT_EVENT_TYPES.length, 'workforce.timesheet.approved', 'event', 6],
        ...['workforce.timesheet.approved', '3.0.0', 'address_invalid'],
      ]);
    });

    it('does the same on the lowest Node that its engines name, which comes from the registry', () => {
      const [, lowest = ''] = /^>=(\d+\.\d+\.\d+)$/.exec(project.packageFile.engines?.node ?? '') ?? [];
      const here = JSON.parse(project.runScript('consumer.mjs', CONSUMER));
      const there = JSON.parse(project.run(installNode(lowest, project.folder), ['consumer.mjs']));
      expect(there).toEqual({ ...here, node: `v${lowest}` });
    });

    it('is tried with every function that it exports', () => {
      const functions = Object.entries({ ...kit, ...testing }).filter(
        ([, value]) => typeof value === 'function',
      );
      expect(functions.length).toBeGreaterThan(15);
      expect(functions.map(([name]) => name).filter((name) => CONSUMER.split(name).length < 3)).toEqual([]);
    });
  });

  it('works from CommonJS', () => {
    const told = project.runScript('consumer.cjs', `console.log(typeof require('${NAME}').parseEvent)`);
    expect(told.trim()).toBe('function');
  });

  it('has a schema at its own path for every type', () => {
    const resolveIn = createRequire(join(project.folder, 'consumer.cjs')).resolve;
    for (const type of SHORT_EVENT_TYPES) {
      expect(resolveIn(`${NAME}/schemas/${type}.json`)).toContain(`docs/schemas/${type}.json`);
      expect(resolveIn(`${NAME}/schemas/events/${type}.json`)).toContain(`docs/schemas/events/${type}.json`);
    }
    expect(resolveIn(`${NAME}/schemas/workforce-event.json`)).toContain('docs/schemas/');
    expect(() => resolveIn(`${NAME}/shared/core/event-types.js`)).toThrow('not defined by "exports"');
  });

  it('has types that a strict TypeScript project compiles with, and that reject wrong code', () => {
    writeFileSync(join(project.folder, 'consumer.ts'), TYPED_CONSUMER);
    const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--target', 'es2022', '--module', 'nodenext', '--types', ''];
    const command = [resolve('node_modules/typescript/bin/tsc'), ...flags, ...target, 'consumer.ts'];
    expect(project.run(process.execPath, command)).toBe('');
  });
});

describe('what it promises', () => {
  it('is what was agreed to; `npm run build -- --api` writes it anew', () => {
    const report = renderApiReport(join(project.built, NAME), PUBLIC_MODULES[NAME]);
    expect(report).toBe(readFileSync(apiReportOf(NAME), 'utf8'));
  });
});

/** Calls everything that the package exports, and prints what came of it below the version of Node. */
const CONSUMER = `
import {
  checkWatermark, comparePositions, fold, foldAll, foldWaiting, isDirectoryEvent, isPayPeriodEvent, isRecordEvent,
  isTimesheetEvent, NotifierError, parseEvent, recordKey, verifyWebhook,
} from '${NAME}';
import { createServer } from 'node:http';
import { checkReceiver, exampleEvent, exampleEvents, shuffle, signWebhook } from '${NAME}/testing';
import asyncapi from '${NAME}/asyncapi.json' with { type: 'json' };
import schema from '${NAME}/schemas/timesheet.approved.json' with { type: 'json' };
const body = ${JSON.stringify(JSON.stringify(exampleEvent('workforce.timesheet.approved')))};
const { event } = parseEvent({ Type: 'Notification', Message: body });
const headers = ${JSON.stringify(headersOf(JSON.stringify(exampleEvent('workforce.timesheet.approved'))))};
const verified = verifyWebhook({ headers, body }, '${SECRET}', { now: 1_000_000 });
const { state } = fold(null, event);
const request = signWebhook(exampleEvent('workforce.pay_period.closed', { sequence: 9 }), '${SECRET}', 1_000_000);
const made = verifyWebhook(request, '${SECRET}', { now: 1_000_000 }).event?.sequence;
const shuffled = shuffle(exampleEvents(), { repeat: 0, seed: 1 }).length;
const events = exampleEvents().filter(isRecordEvent);
const folded = new Map();
for (const each of shuffle(events, { seed: 1 })) {
  const key = recordKey(each);
  folded.set(key, foldAll(folded.get(key) ?? null, [each]).state);
}
const states = [...folded].map(([key, known]) => [key, foldWaiting(known).state.sequence]).sort();
const known = [isDirectoryEvent(event), isPayPeriodEvent(event), isRecordEvent(event), isTimesheetEvent(event)];
const order = comparePositions(events[0], event);
const { complete: watermark } = checkWatermark(events, exampleEvent('workforce.feed.complete'));
const credulous = createServer((request, response) => void request.resume().on('end', () => response.writeHead(204).end()));
await new Promise((listening) => credulous.listen(0, '127.0.0.1', listening));
const { checks, wrong } = await checkReceiver({ url: 'http://127.0.0.1:' + credulous.address().port, secret: '${SECRET}' });
credulous.close();
const refused = await checkReceiver({ url: 'nowhere', secret: '${SECRET}' }).catch((error) => error instanceof NotifierError && error.code);
const forged = wrong.some(({ sent }) => sent === 'a signature of zeros') && checks.length > shuffled;
console.log(JSON.stringify({
  node: process.version,
  told: [forged, made, shuffled, event.type, verified.outcome, state.sequence, schema.title, asyncapi.asyncapi, refused],
  computed: [states, known, order, watermark],
}));
`;

const TYPED_CONSUMER = `
import { fold, foldAll, isTimesheetEvent, parseEvent, verifyWebhook, type Folded, type FoldResult, type TimesheetEvent, type WorkforceEvent } from '${NAME}';
import { checkReceiver, exampleEvent, shuffle } from '${NAME}/testing';

export async function mendsOf(url: string, secret: string): Promise<readonly (string | null)[]> {
  // @ts-expect-error it needs the secret
  await checkReceiver({ url });
  return (await checkReceiver({ url, secret })).wrong.map(({ mend }) => mend);
}

export function overtimeOf(hoursToPay: number): number {
  // @ts-expect-error the timesheet may be gone
  exampleEvent('workforce.timesheet.removed').data.current.hoursToPay;
  // @ts-expect-error no such member
  exampleEvent('workforce.timesheet.approved', { data: { current: { hourlyRate: 1 } } });
  const [event] = shuffle([exampleEvent('workforce.timesheet.approved', { data: { current: { hoursToPay } } })], { seed: 1 });
  return event?.data.current.hoursToPay ?? 0;
}

export function hoursOf(body: string): number | undefined {
  const parsed = parseEvent(body);
  if (parsed.outcome !== 'event') return undefined;
  const { event } = parsed;
  switch (event.type) {
    case 'workforce.timesheet.approved': {
      // @ts-expect-error only a pay period has an account
      event.data.account;
      // @ts-expect-error no such member
      event.data.current?.hourlyRate;
      const late: string | undefined = event.data.late[0];
      return late === 'approval' ? 0 : event.data.current?.hoursToPay;
    }
    case 'workforce.pay_period.closed':
      return event.data.account?.ready.hours;
    // @ts-expect-error no such type
    case 'workforce.timesheet.aproved':
    default:
      return undefined;
  }
}

export function stateOf(known: Folded<TimesheetEvent> | null, event: WorkforceEvent): Folded<TimesheetEvent> | null {
  // @ts-expect-error an operation has no record to fold
  fold(null, event);
  return isTimesheetEvent(event) ? fold(known, event).state : known;
}

export function hoursAfter(events: readonly TimesheetEvent[]): number | undefined {
  let state: Folded<TimesheetEvent> | null = null;
  for (const event of events) state = fold(state, event).state;
  for (const event of events) {
    const folded: FoldResult<TimesheetEvent> = fold(state, event);
    state = folded.state;
  }
  const all = foldAll(state, events);
  return all.applied[0]?.data.current?.hoursToPay ?? all.state.current?.hoursToPay;
}

export function statusOf(headers: Record<string, string | string[] | undefined>, body: string): number {
  const verified = verifyWebhook({ headers, body }, ['a', 'b'], { toleranceSeconds: 60 });
  switch (verified.outcome) {
    case 'refused':
      return verified.reason === 'header_missing' ? 400 : 401;
    case 'invalid':
      return verified.issues.length;
    case 'example':
      return verified.event.sequence;
    case 'unknown_type':
    case 'event':
      return 204;
  }
}
`;

/** The program of a version of Node for this platform. */
function installNode(version: string, folder: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const quiet = [
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefix',
    join(folder, 'lowest'),
  ];
  runIn(folder, 'npm', ['install', ...quiet, `${name}@${version}`]);
  return join(folder, 'lowest/node_modules', name, 'bin/node');
}

function headersOf(body: string): Record<string, string> {
  const signature = new Webhook(SECRET).sign('1', new Date(1_000_000), body);
  return { 'webhook-id': '1', 'webhook-timestamp': '1000', 'webhook-signature': signature };
}
