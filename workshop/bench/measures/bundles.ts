import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAssembly } from '#local/aws/template/assembly.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { median } from '../cpu.ts';
import { type Row, ratio } from '../row.ts';

const RUNS = 7;

/** The time to start Node with the bundle of a poll. Tests hold the bundles to their sizes. */
export async function measureStart(): Promise<Row[]> {
  const importing = measureStartMs(
    `await import(${JSON.stringify(findBundle(await synthesize(() => {})))});`,
  );
  const bare = measureStartMs('export {};');
  return [
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

/** The file that the template deploys for the poll of timesheets. */
function findBundle(folder: string): string {
  const { template, assetFolder } = readAssembly(folder);
  const poll = Object.values(template.Resources).find(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' && String(Properties.FunctionName).endsWith('-poll-timesheets'),
  );
  const { S3Key = '' } = (poll?.Properties.Code ?? {}) as { S3Key?: string };
  const asset = assetFolder(S3Key);
  const file = asset === undefined ? undefined : readdirSync(asset).find((name) => name.endsWith('.mjs'));
  if (asset === undefined || file === undefined) throw new Error(`no bundle of a poll in ${folder}`);
  return join(asset, file);
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
