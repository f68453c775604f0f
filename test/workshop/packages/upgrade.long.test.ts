import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderConfig, UNANSWERED } from '#cli/init/render-config.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { findGaps } from '#test/support/sequences.ts';
import { installArchive, runIn } from './foreign-project.ts';
import { LATER_MEMBER, makeArchives, NAME, PROGRAM, UPGRADES, type Version } from './versions.ts';

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
  readonly data: { readonly [LATER_MEMBER]?: string };
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
  /** What was published while each version ran. */
  const lives: { readonly version: Version; readonly texts: readonly string[] }[] = [];
  const texts = () => lives.flatMap((life) => life.texts);
  const events = () => texts().map(parse);
  const publishedBy = (version: Version) =>
    lives.filter((life) => life.version === version).flatMap((life) => life.texts.map(parse));

  beforeAll(async () => {
    for (const version of [first, second, first]) {
      installArchive(NAME, archives.get(version) ?? '', folder);
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
});

function makeScratch(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  scratch.push(folder);
  return folder;
}

/** A project as the creator makes it. */
function openProject(): string {
  const folder = makeScratch('notifier-upgraded-');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'notifier.config.ts'), renderConfig(UNANSWERED));
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
