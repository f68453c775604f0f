import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildSync } from 'esbuild';
import { buildEsbuildOptions } from '#infra/bundling/bundling.ts';
import { ALLOCATOR } from '#infra/constructs/foundation/notifier-function.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { addDays, listDates } from '#shared/core/dates.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createConnection, type SampleSource, startSampleSource } from './machine.ts';
import type { Row } from './table.ts';

/** Functions of a size, and what they watch. */
const SMALL = { memoryMb: 256, dates: 50, perDate: 1_400, atMost: 200, name: '2,000 people' };
const LARGE = { memoryMb: 512, dates: 14, perDate: 50_000, atMost: 400, name: '50,000 people' };
/** Dates that are approved at once. */
const APPROVED = 2;
const MAX_POLLS = 10;

/** The most memory that the process of the function ever had, from its first poll until many approvals at once. */
export async function measureMemory(): Promise<Row[]> {
  return [await measureSize(SMALL), await measureSize(LARGE)];
}

async function measureSize(size: typeof SMALL): Promise<Row> {
  const { memoryMb, dates, perDate, atMost, name } = size;
  const [dynamo, source] = [await startEmbeddedDynamo(), await startSampleSource()];
  const child = await startFunction(memoryMb, dynamo, source);
  // All before yesterday: hot dates are read again within a poll, as often as the machine is slow.
  const last = addDays(new Date().toISOString().slice(0, 10), -2);
  const listLast = (count: number) => listDates({ from: addDays(last, 1 - count), to: last });
  const connection = createConnection({
    baseUrl: source.endpoint,
    window: { backDays: dates + 1, forwardDays: 1 },
    requests: { pageSize: 1_000, maxPerSecond: 1_000 },
  });
  let peakMb = 0;
  /** Polls until all was looked at since now. */
  const pollAll = async () => {
    const freshSince = Date.now();
    for (let polls = 1; ; polls += 1) {
      const feeds = [{ name: 'timesheets', silent: false }];
      child.send({ connection, feeds, freshSince, followUpUntil: 0 });
      const [usage] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Usage | null];
      if (typeof usage !== 'object' || usage === null) throw new Error('the function ended: out of memory?');
      peakMb = usage.peakMb;
      if (usage.report.outcome === 'complete') return;
      if (polls >= MAX_POLLS) throw new Error(usage.report.reasons.join('; '));
    }
  };
  try {
    const known = { dates: listLast(dates), perDate, every: 1, approved: listLast(APPROVED) };
    for (const version of [0, 0, 1]) {
      await source.show({ ...known, version });
      await pollAll();
    }
  } finally {
    child.kill('SIGKILL');
    source.stop();
    await dynamo.stop();
  }
  const [all, approvals] = [dates, APPROVED].map((count) => (count * perDate).toLocaleString('en'));
  // When V8 collects garbage depends on the machine, as a time does.
  const row = { target: 'P8', reached: peakMb, atMost, unit: 'MB', isTime: true } as const;
  return {
    ...row,
    metric: `memory of ${memoryMb} MB, ${name}, ${all} timesheets, ${approvals} approvals at once`,
  };
}

/** What one poll took of the process of the function. */
interface Usage {
  readonly report: PollReport;
  /** The most memory that the process ever had, with the program of Node itself. */
  readonly peakMb: number;
}

/** In JavaScript, since a process that strips types takes more memory than the function. */
const FUNCTION = `
import { readFileSync } from 'node:fs';
const { handler } = await import(process.env.BUNDLE);
process.on('disconnect', () => process.exit());
process.on('message', async (event) => {
  const deadline = Date.now() + 900_000;
  const report = await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() });
  const [, kilobytes] = /^VmHWM:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
  process.send({ report, peakMb: kilobytes / 1024 });
});
process.send({});
`;
const BUNDLE = '.cache/bench-poll.mjs';
/** Lambda starts Node with these shares of a function's memory. */
const [OLD_SPACE, SEMI_SPACE] = [0.9, 0.05];

/** The bundled function that polls, in a process as Lambda starts it; source, table and SNS are in others. */
async function startFunction(memoryMb: number, { client, tableName }: EmbeddedDynamo, source: SampleSource) {
  buildSync({ ...buildEsbuildOptions('poll'), outfile: BUNDLE });
  const table = await client.config.endpoint?.();
  const topics = Object.values(ENVIRONMENT.topicArns);
  const heap = [
    `--max-old-space-size=${Math.floor(memoryMb * OLD_SPACE)}`,
    `--max-semi-space-size=${Math.floor(memoryMb * SEMI_SPACE)}`,
  ];
  const child = spawn(process.execPath, [...heap, '--input-type=module', '--eval', FUNCTION], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      BUNDLE: `${process.cwd()}/${BUNDLE}`,
      AWS_ENDPOINT_URL: source.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${table?.port}`,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      STACK_NAME: 'bench',
      [ENVIRONMENT.tableName]: tableName,
      [ENVIRONMENT.followUpQueueUrl]: source.endpoint,
      ...ALLOCATOR,
      ...Object.fromEntries(topics.map((name) => [name, `arn:aws:sns:local:1:${name}`])),
    },
  });
  await once(child, 'message');
  return child;
}
