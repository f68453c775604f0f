import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildSync } from 'esbuild';
import { buildEsbuildOptions } from '#infra/bundling/bundling.ts';
import { ALLOCATOR } from '#infra/constructs/foundation/notifier-function.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { addDays, listDates } from '#shared/core/dates.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import type { SampleState } from './company.ts';
import { createConnection, startSampleSource } from './machine.ts';
import type { Row } from './table.ts';

const PAGE_SIZE = 1_000;
const MAX_POLLS = 10;

/** Functions of a size, what they watch, and how many dates are approved at once. */
const SMALL = { memoryMb: 256, dates: 50, perDate: 1_400, approved: 2, atMost: 200, name: '2,000 people' };
const LARGE = { memoryMb: 512, dates: 14, perDate: 50_000, approved: 2, atMost: 400, name: '50,000 people' };

/** The most memory that the process of the function ever had, from its first poll until many approvals at once. */
export async function measureMemory(): Promise<Row[]> {
  return [await measureSize(SMALL), await measureSize(LARGE)];
}

async function measureSize(size: typeof SMALL): Promise<Row> {
  const { memoryMb, dates, perDate, atMost, name } = size;
  // All before yesterday: hot dates are read again within a poll, as often as the machine is slow.
  const last = addDays(new Date().toISOString().slice(0, 10), -2);
  const known: SampleState = {
    dates: listDates({ from: addDays(last, 1 - dates), to: last }),
    ...{ perDate, every: 1, version: 0 },
  };
  const approved = listDates({ from: addDays(last, 1 - size.approved), to: last });
  const machine = await startFunctionMachine(memoryMb, { backDays: dates + 1, forwardDays: 1 });
  try {
    let peakMb = 0;
    for (const state of [known, known, { ...known, version: 1, approved }])
      for (let polls = 1, isWhole = false, since = Date.now(); !isWhole; polls += 1) {
        const usage = await machine.poll(state, since);
        isWhole = usage.report.outcome === 'complete';
        if (!isWhole && polls >= MAX_POLLS) throw new Error(usage.report.reasons.join('; '));
        peakMb = usage.peakMb;
      }
    const approvals = (approved.length * perDate).toLocaleString('en');
    return {
      target: 'P8',
      metric: `of ${memoryMb} MB, ${name}, ${(dates * perDate).toLocaleString('en')} timesheets, ${approvals} approvals at once`,
      reached: peakMb,
      atMost,
      unit: 'MB',
      // It depends on when V8 collects garbage, as a time does on the machine.
      isTime: true,
    };
  } finally {
    await machine.stop();
  }
}

/** What one poll took of the process of the function. */
interface PollUsage {
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

/** The bundled function that polls, in a process as Lambda starts it; source, table and SNS are in others. */
async function startFunctionMachine(
  memoryMb: number,
  window: { readonly backDays: number; readonly forwardDays: number },
) {
  const dynamo = await startEmbeddedDynamo();
  const source = await startSampleSource();
  const endpoint = await dynamo.client.config.endpoint?.();
  const child = startFunction(memoryMb, {
    AWS_ENDPOINT_URL: source.servicesUrl,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${endpoint?.port}`,
    [ENVIRONMENT.tableName]: dynamo.tableName,
    [ENVIRONMENT.followUpQueueUrl]: source.servicesUrl,
  });
  await once(child, 'message');
  const connection = createConnection({
    baseUrl: source.baseUrl,
    window,
    requests: { pageSize: PAGE_SIZE, maxPerSecond: 1_000 },
  });
  const feeds = [{ name: 'timesheets', silent: false }];
  return {
    /** One poll of all that was not looked at since an instant. */
    async poll(state: SampleState, freshSince: number) {
      await source.show(state);
      child.send({ connection, feeds, freshSince, followUpUntil: 0 });
      const [usage] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
      if (typeof usage !== 'object' || usage === null) throw new Error('the function ended: out of memory?');
      return usage as PollUsage;
    },
    async stop() {
      child.kill('SIGKILL');
      source.stop();
      await dynamo.stop();
    },
  };
}

const BUNDLE = '.cache/bench-poll.mjs';
/** Lambda starts Node with these shares of a function's memory. */
const [OLD_SPACE, SEMI_SPACE] = [0.9, 0.05];

function startFunction(memoryMb: number, variables: Readonly<Record<string, string>>): ChildProcess {
  buildSync({ ...buildEsbuildOptions('poll'), outfile: BUNDLE });
  const topics = Object.values(ENVIRONMENT.topicArns);
  return spawn(
    process.execPath,
    [
      `--max-old-space-size=${Math.floor(memoryMb * OLD_SPACE)}`,
      `--max-semi-space-size=${Math.floor(memoryMb * SEMI_SPACE)}`,
      ...['--input-type=module', '--eval', FUNCTION],
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        BUNDLE: `${process.cwd()}/${BUNDLE}`,
        // The source's certificate is self-signed.
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_NO_WARNINGS: '1',
        AWS_REGION: 'local',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        STACK_NAME: 'bench',
        ...ALLOCATOR,
        ...Object.fromEntries(topics.map((name) => [name, `arn:aws:sns:local:1:${name}`])),
        ...variables,
      },
    },
  );
}
