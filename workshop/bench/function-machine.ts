import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildSync } from 'esbuild';
import { buildEsbuildOptions } from '#infra/bundling/bundling.ts';
import { ALLOCATOR } from '#infra/constructs/foundation/notifier-function.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createConnection } from './poll-machine.ts';
import type { SourceState } from './sample-records.ts';
import { startSampleSource } from './sample-source.ts';

/** What one poll took of the process of the function. */
interface PollUsage {
  readonly report: PollReport;
  /** The most memory that the process ever had, with the program of Node itself. */
  readonly peakMb: number;
}

/** The bundled function that polls in a process as Lambda starts it; source, table and SNS are in others. */
interface FunctionMachine {
  /** One poll of all that was not looked at since an instant. */
  poll(state: SourceState, freshSince: number): Promise<PollUsage>;
  stop(): Promise<void>;
}

interface FunctionOptions {
  readonly memoryMb: number;
  readonly pageSize: number;
  readonly window: { readonly backDays: number; readonly forwardDays: number };
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

export async function startFunctionMachine(options: FunctionOptions): Promise<FunctionMachine> {
  const dynamo = await startEmbeddedDynamo();
  const source = await startSampleSource();
  const endpoint = await dynamo.client.config.endpoint?.();
  const child = startFunction(options.memoryMb, {
    AWS_ENDPOINT_URL: source.servicesUrl,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${endpoint?.port}`,
    [ENVIRONMENT.tableName]: dynamo.tableName,
    [ENVIRONMENT.followUpQueueUrl]: source.servicesUrl,
  });
  await once(child, 'message');
  const connection = createConnection({
    baseUrl: source.baseUrl,
    window: options.window,
    requests: { pageSize: options.pageSize, maxPerSecond: 1_000 },
  });
  const feeds = [{ name: 'timesheets', silent: false }];
  return {
    async poll(state, freshSince) {
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
