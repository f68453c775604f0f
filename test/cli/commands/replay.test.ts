import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { replay } from '#cli/commands/replay.ts';
import type { ReplayReport, ReplayRequestInput } from '#shared/config/requests/replay-request.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '#shared/operator/target.ts';

/** What the command requests of the function while the source keeps changing. */

const NOW = Date.parse('2026-03-05T10:00:00Z');
const HOUR_MS = 3_600_000;
const CONNECTION = connectionSchema.parse({
  name: 'main',
  baseUrl: 'https://workforce.example',
  timeZone: 'UTC',
  secretName: 'main',
});

let printed: string[];
let asked: ReplayRequestInput[];
let now: number;

beforeEach(() => {
  printed = [];
  asked = [];
  now = NOW + 0.5;
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['without an end ends with the count', undefined, NOW],
  ['that is to end later ends with the count as well', '2026-03-06', NOW],
  ['that is to end earlier ends then', '1h', NOW - HOUR_MS],
])('a replay %s, however long counting takes', async (_, until, to) => {
  await replay({ since: '2h', yes: true, ...(until === undefined ? {} : { until }) }, target());
  const ends = { from: NOW - 2 * HOUR_MS, to };
  expect(asked).toEqual([
    expect.objectContaining({ ...ends, dryRun: true }),
    expect.objectContaining({ ...ends, after: null }),
  ]);
  expect(asked[1]).not.toHaveProperty('dryRun');
  expect(printed.slice(-2)).toEqual(['1 event to all subscribers', '1 published again']);
});

test.each([
  // As of a body that is no JSON.
  ['nothing', null],
  ['a text', 'done'],
  ['another shape', { published: 1 }],
])('a function that answers %s is an error in one line, which says what to do', async (_, answer) => {
  const wrong = { ...target(), invoke: async () => answer };
  const error = await replay({ since: '2h', yes: true }, wrong).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotifierError);
  expect(error).toMatchObject({
    code: 'function_answer_invalid',
    message: expect.stringMatching(
      /^the function replay-events answered something else than a report, .*; see its log, deploy this version/,
    ),
  });
});

/** Every invocation takes a minute by its clock. */
function target(): Target {
  const invoke = async (_code: string, request: object): Promise<ReplayReport> => {
    asked.push(request as ReplayRequestInput);
    now += 60_000;
    const published = 'dryRun' in request ? 0 : 1;
    return {
      matched: { 'workforce.timesheet.approved': 1 },
      published,
      unpublished: 0,
      done: true,
      next: null,
    };
  };
  const connections = [CONNECTION];
  const config = parseNotifierConfig({ connections });
  return { config, connections, system: { now: () => now }, invoke } as unknown as Target;
}
