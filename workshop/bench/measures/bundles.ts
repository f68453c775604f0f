import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAssembly } from '#local/aws/template/assembly.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { median } from '../cpu.ts';
import { type Row, ratio } from '../row.ts';

const KILOBYTE = 1_024;
const RUNS = 7;

/** Polls also hold the adapter of the source and its records; they are still over the budget. */
const POLL = /-poll-(?:timesheets|pay-periods)$/;

/** Sizes of the largest bundles, and the time to start Node with the bundle of a poll. */
export async function measureBundles(): Promise<Row[]> {
  const bundles = findBundles(await synthesize(() => {}));
  const polls = bundles.filter(({ functionName }) => POLL.test(functionName));
  const others = bundles.filter((bundle) => !polls.includes(bundle));
  const [poll] = polls;
  if (poll === undefined || others.length === 0)
    throw new Error('the template has no poll functions, or no other functions');
  const bare = measureStartMs('export {};');
  const importing = measureStartMs(`await import(${JSON.stringify(poll.file)});`);
  return [
    buildSizeRow('largest bundle, KB', bundles, 610),
    buildSizeRow('largest bundle of those that deliver, KB', others, 421),
    {
      topic: 'bundles',
      metric: 'start with the bundle imported',
      baseline: 'bare start of Node',
      baselineValue: `${bare.toFixed(0)} ms`,
      ours: `${importing.toFixed(0)} ms`,
      ratio: ratio(importing, bare),
      seed: null,
    },
  ];
}

function buildSizeRow(metric: string, bundles: readonly Bundle[], atMost: number): Row {
  const largest = Math.max(...bundles.map(({ file }) => statSync(file).size / KILOBYTE));
  return {
    topic: 'bundles',
    metric,
    baseline: 'budget',
    baselineValue: '400',
    ours: largest.toFixed(0),
    ratio: ratio(largest, 400),
    seed: null,
    limit: { value: largest, atMost },
  };
}

interface Bundle {
  readonly functionName: string;
  readonly file: string;
}

/** The bundles that the template deploys, one a function. */
function findBundles(folder: string): Bundle[] {
  const { template, assetFolder } = readAssembly(folder);
  const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return functions.map(({ Properties }) => {
    const { S3Key } = Properties.Code as { S3Key: string };
    const asset = assetFolder(S3Key);
    const file = asset === undefined ? undefined : readdirSync(asset).find((name) => name.endsWith('.mjs'));
    if (asset === undefined || file === undefined) throw new Error(`no bundle for ${S3Key} in ${folder}`);
    return { functionName: String(Properties.FunctionName), file: join(asset, file) };
  });
}

function measureStartMs(code: string): number {
  const file = join('.cache', 'bench-start.mjs');
  writeFileSync(file, code);
  const env = { ...process.env, TABLE_NAME: 't', STACK_NAME: 's', AWS_REGION: 'local' };
  for (const name of ['TIMESHEETS', 'CLOCKINGS', 'PAY_PERIODS', 'OPERATIONS']) {
    Object.assign(env, { [`TOPIC_ARN_${name}`]: 't' });
  }
  const times = Array.from({ length: RUNS }, () => {
    const start = process.hrtime.bigint();
    const { status, stderr } = spawnSync(process.execPath, [file], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the bundle failed to start: ${stderr.slice(0, 300)}`);
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return median(times);
}
