import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderConfig, UNANSWERED } from '#cli/init/render-config.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { findGaps } from '#test/support/sequences.ts';
import { CONNECTION, EVERYTHING } from '../../infra/synthesized.ts';
import { installArchive, runIn } from './foreign-project.ts';
import { LATER_MEMBER, listLost, makeArchives, NAME, PROGRAM, UPGRADES, type Version } from './versions.ts';

/** Exit code of a run that left something to the next one. */
const INCOMPLETE = 3;

/** An event as far as these tests look into it. */
interface RecordEvent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: {
    readonly current?: object | null;
    readonly previous?: object | null;
    readonly [LATER_MEMBER]?: string;
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970 began on a Thursday. */
const WEEK_MS = 7 * DAY_MS;
const MONDAY_MS = 4 * DAY_MS;

const scratch: string[] = [];
let archives: ReadonlyMap<Version, string>;
let source: RunningSource;

beforeAll(async () => {
  // Its clock stands, so that a busy machine lets nothing happen while a version runs; it begins on the Monday of last week.
  const weeks = Math.floor((Date.now() - MONDAY_MS) / WEEK_MS) - 1;
  source = await startSource({ speed: 0, startsAt: MONDAY_MS + weeks * WEEK_MS + 7 * HOUR_MS });
  archives = makeArchives(UPGRADES, makeScratch('notifier-versions-'));
});

afterAll(async () => {
  await source?.close();
  for (const folder of scratch) rmSync(folder, { recursive: true, force: true });
});

describe.each(UPGRADES)('%s, then %s, then the first again', (first, second) => {
  const folder = openProject();
  const templates = new Map<Version, string>();
  const compared = { folder, stackName: 'workforce-notifier', assembly: assemblyOf(second) };
  /** What was published while each version ran. */
  const lives: { readonly version: Version; readonly texts: readonly string[] }[] = [];
  const texts = () => lives.flatMap((life) => life.texts);
  const events = () => texts().map(parse);
  const publishedBy = (version: Version) =>
    lives.filter((life) => life.version === version).flatMap((life) => life.texts.map(parse));

  beforeAll(async () => {
    for (const version of [first, second, first]) {
      installArchive(NAME, archives.get(version) ?? '', folder);
      if (!templates.has(version)) templates.set(version, synthesize(folder, version));
      for (let run = 0; run < 2; run++) lives.push({ version, texts: await live(folder) });
    }
  });

  test('each of them publishes, and the second what it is', () => {
    for (const { texts: published } of lives) expect(published).not.toEqual([]);
    const marked = (version: Version) =>
      publishedBy(version).filter(({ data }) => data[LATER_MEMBER] !== undefined);
    expect(marked(first)).toEqual([]);
    expect(marked(second).length > 0).toBe(second === 'a later version');
  });

  test('no event is published twice', () => {
    const ids = events().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const places = events().map(({ source, subject, epoch, sequence }) =>
      [source, subject, epoch, sequence].join(' '),
    );
    expect(new Set(places).size).toBe(places.length);
  });

  test('no event is lost: the sequences of records go on, and the log of all versions is what was published', () => {
    expect(findGaps(texts())).toEqual([]);
    const log = notifier(folder, 'events', '--data', '.data', '--since', '30d', '--json');
    expect(linesOf(log).sort()).toEqual(texts().sort());
  });

  test('nothing begins anew: one baseline of each feed, one epoch of each record', () => {
    const baselines = events().filter(({ type }) => type === 'workforce.baseline.completed');
    expect(baselines.map(({ source }) => source).sort()).toEqual([
      '/connections/main/pay-periods',
      '/connections/main/timesheets',
    ]);
    for (const ofRecord of groupByRecord(events()))
      expect(new Set(ofRecord.map(({ epoch }) => epoch)).size).toBe(1);
  });

  test('each compares with what the one before it stored', () => {
    const links = groupByRecord(events()).flatMap(linkPolls);
    expect(links).not.toEqual([]);
    for (const { known, compared } of links) expect(compared).toEqual(known);
  });

  test('the templates replace nothing, and keep what holds messages and data', () => {
    expect(listLost({ ...compared, before: templates.get(first) ?? '' })).toEqual([]);
  });

  test('what would replace a table or remove a queue is found', () => {
    const template = JSON.parse(templates.get(first) ?? '');
    const { StateTable962DE04C: table } = template.Resources;
    table.Properties.KeySchema[0].AttributeName = 'another';
    template.Resources.Left = { Type: 'AWS::SQS::Queue' };
    expect(listLost({ ...compared, before: JSON.stringify(template) })).toEqual([
      expect.stringMatching(/^\[-\] AWS::SQS::Queue Left destroy/),
      expect.stringMatching(/^\[~\] AWS::DynamoDB::Table .*StateTable962DE04C replace/),
    ]);
  });
});

function makeScratch(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  scratch.push(folder);
  return folder;
}

/** A project as the creator makes it, and a config with everything, for its template. */
function openProject(): string {
  const folder = makeScratch('notifier-upgraded-');
  mkdirSync(join(folder, 'templates'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'notifier.config.ts'), renderConfig(UNANSWERED));
  const everything = { ...EVERYTHING, connections: [CONNECTION] };
  writeFileSync(
    join(folder, 'everything.config.ts'),
    `import { defineNotifierConfig } from '${NAME}/config';\nexport default defineNotifierConfig(${JSON.stringify(everything)});\n`,
  );
  return folder;
}

function notifier(folder: string, ...args: string[]): string {
  return runIn(folder, process.execPath, [PROGRAM, ...args]);
}

/** From the company's first day. */
const WINDOW = ['--window-back', '14'];
/** Less than a shift, so that a record changes in one after the other; a night has three. */
const STEP_MINUTES = 240;
const MAX_STEPS = 5;
/** A closing waits for its dates, which the exit code says. */
const MAX_RUNS = 5;

/** Lets the company live on until something happened, and runs the installed version. Returns what it published. */
async function live(folder: string): Promise<string[]> {
  const published: string[] = [];
  for (let step = 0; published.length === 0 && step < MAX_STEPS; step++) {
    source.advance(STEP_MINUTES * 60_000);
    published.push(...(await runToTheEnd(folder)));
  }
  return published;
}

/** Runs the installed version until everything is told. */
async function runToTheEnd(folder: string): Promise<string[]> {
  const published: string[] = [];
  const args = [PROGRAM, 'start', '--once', '--output', 'ndjson', '--base-url', source.baseUrl, ...WINDOW];
  for (let run = 0; run < MAX_RUNS; run++) {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, WORKFORCE_API_TOKEN: source.token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    published.push(...linesOf(stdout));
    if (code === 0) return published;
    if (code !== INCOMPLETE) throw new Error(`exit code ${code}: ${stderr}`);
  }
  throw new Error(`${published.length} events after ${MAX_RUNS} runs, and not complete`);
}

function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line !== '');
}

function parse(text: string): RecordEvent {
  return JSON.parse(text) as RecordEvent;
}

function groupByRecord(events: readonly RecordEvent[]): RecordEvent[][] {
  const ofRecords = events.filter(({ subject }) => subject !== undefined);
  return [...Map.groupBy(ofRecords, ({ source, subject }) => `${source} ${subject}`).values()];
}

/**
 * What the last event of a poll says of a record, beside what the next poll that found a change compared it with: its
 * state without what it says has changed.
 */
function linkPolls(ofRecord: readonly RecordEvent[]): { known: object; compared: object }[] {
  const ordered = ofRecord.toSorted((a, b) => a.sequence - b.sequence);
  const polls = [...Map.groupBy(ordered, ({ time }) => time).values()];
  return polls.slice(1).flatMap((poll, at) => {
    const known = polls[at]?.at(-1)?.data.current;
    const now = poll.at(-1)?.data.current;
    if (known == null || now == null) return [];
    const compared = Object.assign({ ...now }, ...poll.toReversed().map(({ data }) => data.previous));
    // Not every event names the details.
    const ofBoth = Object.keys(known).filter((member) => member in compared);
    return [{ known: pick(known, ofBoth), compared: pick(compared, ofBoth) }];
  });
}

function pick(state: object, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(state).filter(([member]) => members.includes(member)));
}

/** Synthesizes the stack with everything by the installed version. Returns its template. */
function synthesize(folder: string, version: Version): string {
  const app = `await import('./node_modules/${NAME}/infra/app.js')`;
  runIn(folder, process.execPath, ['--input-type=module', '-e', app], {
    ...process.env,
    NOTIFIER_CONFIG: 'everything.config.ts',
    CDK_OUTDIR: assemblyOf(version),
  });
  return readFileSync(join(folder, assemblyOf(version), 'workforce-notifier.template.json'), 'utf8');
}

function assemblyOf(version: Version): string {
  return `templates/${version.replaceAll(' ', '-')}`;
}
