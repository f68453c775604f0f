import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_EVENTS } from 'workforce-change-notifier/testing';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { listFiles } from '#workshop/packages/package-folder.ts';
import { apiReportOf, PUBLIC_MODULES, renderApiReport } from '#workshop/packages/release.ts';
import { type ForeignProject, installPackage, listImports, runIn } from './foreign-project.ts';

const NAME = 'workforce-change-notifier';
const [SECRET = '', OTHER_SECRET = ''] = ['k', 'o'].map(
  (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
);

/** Declarations that name the types of zod cost half a million. */
const MAX_INSTANTIATIONS = 20_000;

let project: ForeignProject;
let lowest: { readonly version: string; readonly program: string };

beforeAll(() => {
  project = installPackage(NAME);
  const [, version = ''] = /^>=(\d+\.\d+\.\d+)$/.exec(project.packageFile.engines?.node ?? '') ?? [];
  lowest = { version, program: installNode(version, project.folder) };
});

afterAll(() => project.remove());

describe('the package', () => {
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

  it('works from JavaScript, and does the same on the lowest Node that its engines name, from the registry', () => {
    const here = JSON.parse(project.runScript('consumer.mjs', CONSUMER));
    const told = ['event', 'refused', 15, 'TimesheetApprovedEvent', '3.0.0'];
    expect(here).toMatchObject({ node: process.version, told: [SHORT_EVENT_TYPES.length, ...told] });
    const there = JSON.parse(project.run(lowest.program, ['consumer.mjs']));
    expect(there).toEqual({ ...here, node: `v${lowest.version}` });
  });

  it('works from CommonJS, and has a schema at its own path for every type, and nothing else', () => {
    const requireIn = createRequire(join(project.folder, 'consumer.cjs'));
    expect(requireIn(NAME).parseEvent).toBeTypeOf('function');
    const resolveIn = requireIn.resolve;
    for (const type of SHORT_EVENT_TYPES) {
      expect(resolveIn(`${NAME}/schemas/${type}.json`)).toContain(`docs/schemas/${type}.json`);
    }
    expect(resolveIn(`${NAME}/schemas/workforce-event.json`)).toContain('docs/schemas/');
    expect(() => resolveIn(`${NAME}/shared/core/event-types.js`)).toThrow('not defined by "exports"');
  });

  it('has types that a strict project compiles with, that reject wrong code and cost a compiler little', () => {
    writeFileSync(join(project.folder, 'consumer.ts'), TYPED_CONSUMER);
    expect(compile('consumer.ts', '--noEmit')).toBe('');
    writeFileSync(join(project.folder, 'nothing.ts'), 'export const nothing = null;');
    const count = (file: string) => {
      const said = compile(file, '--noEmit', '--extendedDiagnostics');
      return Number(/^Instantiations: +(?<count>\d+)$/m.exec(said)?.groups?.count);
    };
    const without = count('nothing.ts');
    expect(without).toBeGreaterThan(0);
    expect(count('consumer.ts') - without).toBeLessThan(MAX_INSTANTIATIONS);
  });
});

describe('what it promises', () => {
  it('is what was agreed to; `npm run build -- --api` writes it anew', () => {
    const report = renderApiReport(join(project.built, NAME), PUBLIC_MODULES[NAME]);
    expect(report).toBe(readFileSync(apiReportOf(NAME), 'utf8'));
  });
});

/** Calls everything that the package exports, and prints what came of it beside the version of Node. */
const CONSUMER = `
import {
  checkWatermark, fold, isPayPeriodEvent, isRecordEvent, isTimesheetEvent, parseEvent, verifyWebhook,
} from '${NAME}';
import { EXAMPLE_EVENTS } from '${NAME}/testing';
import asyncapi from '${NAME}/asyncapi.json' with { type: 'json' };
import schema from '${NAME}/schemas/timesheet.approved.json' with { type: 'json' };
const events = Object.values(EXAMPLE_EVENTS).map(
  (event) => parseEvent({ Type: 'Notification', Message: JSON.stringify(event) }).event,
);
const request = ${JSON.stringify(signedRequest(JSON.stringify(EXAMPLE_EVENTS['workforce.timesheet.approved'])))};
const verify = (secret) => verifyWebhook(request, secret, { now: 1_000_000 }).outcome;
const states = new Map();
for (const event of events.filter(isRecordEvent))
  states.set(event.partitionkey, fold(states.get(event.partitionkey) ?? null, event).state);
const { sequence } = states.get(EXAMPLE_EVENTS['workforce.timesheet.created'].partitionkey);
const counts = [isPayPeriodEvent, isTimesheetEvent].map((isOne) => events.filter(isOne).length);
const watermark = checkWatermark(events, EXAMPLE_EVENTS['workforce.feed.complete']);
console.log(JSON.stringify({
  node: process.version,
  told: [events.length, verify('${SECRET}'), verify('${OTHER_SECRET}'), sequence, schema.title, asyncapi.asyncapi],
  computed: [[...states], counts, watermark],
}));
`;

const TYPED_CONSUMER = `
import { fold, isTimesheetEvent, parseEvent, verifyWebhook, type FoldState, type TimesheetEvent, type WorkforceEvent } from '${NAME}';
import { EXAMPLE_EVENTS } from '${NAME}/testing';

export function hoursOf(body: string): number | undefined {
  // @ts-expect-error the timesheet is gone
  EXAMPLE_EVENTS['workforce.timesheet.removed'].data.current.hoursToPay;
  const parsed = parseEvent(body);
  if (parsed.outcome !== 'event') return undefined;
  const { event } = parsed;
  switch (event.type) {
    case 'workforce.timesheet.approved': {
      // @ts-expect-error only a pay period has an account
      event.data.account;
      // @ts-expect-error no such member
      event.data.current.hourlyRate;
      const late: string | undefined = event.data.late[0];
      const before: number | undefined = event.data.previous.hoursToPay;
      return late === 'approval' ? before : event.data.current.hoursToPay;
    }
    case 'workforce.timesheet.created': {
      const nothing: null = event.data.previous;
      return nothing ?? event.data.current.hoursToPay;
    }
    case 'workforce.pay_period.closed':
      return event.data.account?.ready.hours;
    // @ts-expect-error no such type
    case 'workforce.timesheet.aproved':
    default:
      return undefined;
  }
}

export function stateOf(known: FoldState<TimesheetEvent> | null, event: WorkforceEvent): FoldState<TimesheetEvent> | null {
  // @ts-expect-error an operation has no record to fold
  fold(null, event);
  return isTimesheetEvent(event) ? fold(known, event).state : known;
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

/** What the compiler says of a file of the project, which uses the package and nothing else. */
function compile(file: string, ...more: readonly string[]): string {
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const target = ['--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  return project.run(process.execPath, [compiler, ...flags, ...target, ...more, file]);
}

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

function signedRequest(body: string): object {
  const signature = new Webhook(SECRET).sign('1', new Date(1_000_000), body);
  const headers = { 'webhook-id': '1', 'webhook-timestamp': '1000', 'webhook-signature': signature };
  return { headers, body };
}
