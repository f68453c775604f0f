import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLE_FILE, buildCodeProps } from '#infra/bundling/bundling.ts';
import { listFunctions } from '#infra/bundling/esbuild-options.ts';
import { WorkforceNotifier } from '#infra/notifier-stack.ts';
import { CONNECTION, synthesize, WITH_BUS } from './synthesized.ts';

const NAME = 'workforce-change-notifier-cdk';
const CONFIG = { ...WITH_BUS, connections: [CONNECTION] };

describe('the construct in another stack', () => {
  test('makes what the stack makes, under the name of the stack around it', () => {
    const stack = beginStack('payroll-systems');
    new Topic(stack, 'Own');
    new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    const alone = synthesize({ ...CONFIG, stackName: 'payroll-systems' });
    const { Resources: resources } = Template.fromStack(stack).toJSON() as {
      Resources: Record<string, { Type: string }>;
    };
    const types = Object.values(resources).map(({ Type }) => Type);
    expect(types.sort()).toEqual([...alone.resources.map(({ type }) => type), 'AWS::SNS::Topic'].sort());
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'payroll-systems-poll-timesheets',
    });
  });

  test('gives its topics to subscribe to, and shows none of the alarms around it', () => {
    const stack = beginStack('payroll-systems');
    const metric = new Metric({ namespace: 'Own', metricName: 'Own' });
    new Alarm(stack, 'OwnAlarm', { metric, threshold: 1, evaluationPeriods: 1 });
    const { topics } = new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    expect(Object.keys(topics).sort()).toEqual(['clockings', 'operations', 'pay-periods', 'timesheets']);
    const [dashboard] = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard'));
    expect(JSON.stringify(dashboard)).toContain('NotifierPollTimesheets');
    expect(JSON.stringify(dashboard)).not.toContain('OwnAlarm');
  });

  test('is refused in a nested stack, and with a mistake in its config, by its path', () => {
    const stack = beginStack('payroll-systems');
    const nested = new NestedStack(stack, 'Nested');
    expect(() => new WorkforceNotifier(nested, 'Notifier', { config: CONFIG })).toThrow(
      'payroll-systems/Nested/Notifier: a nested stack has no name',
    );
    expect(
      () => new WorkforceNotifier(stack, 'Notifier', { config: { ...CONFIG, connections: [] } }),
    ).toThrow(/^payroll-systems\/Notifier: connections/);
  });
});

describe('the package of the construct', () => {
  const project = mkdtempSync(join(tmpdir(), 'notifier-construct-'));
  const modules = join(project, 'node_modules');
  const folder = join(modules, NAME);

  beforeAll(() => {
    mkdirSync(modules);
    execFileSync(process.execPath, ['infra/package/build-package.ts', folder]);
    for (const name of ['aws-cdk-lib', 'constructs', 'zod'])
      symlinkSync(resolve('node_modules', name), join(modules, name));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  });

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test('deploys the functions that the sources do, to the byte', () => {
    const code = JSON.parse(runNode('app.mjs', APP)) as Record<string, string>;
    expect(new Set(Object.values(code)).size).toBe(listFunctions().length);
    const stack = new Stack(new App({ outdir: join(project, 'sources') }), 'Sources');
    new NodejsFunction(stack, 'Function', buildCodeProps('collect-alerts'));
    const [bundled] = readdirSync(join(project, 'sources'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith(BUNDLE_FILE),
    );
    expect(code['collect-alerts']).toBe(digest(join(project, 'sources', String(bundled))));
  });

  test('has types that a strict project compiles with, and that reject a wrong config', () => {
    writeFileSync(join(project, 'typed.ts'), TYPED);
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--exactOptionalPropertyTypes', '--types', ''];
    const target = ['--target', 'es2022', '--module', 'nodenext', 'typed.ts'];
    const compiler = resolve('node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, ...flags, ...target], { cwd: project });
  });

  function runNode(name: string, script: string): string {
    writeFileSync(join(project, name), script);
    return execFileSync(process.execPath, [name], { cwd: project, encoding: 'utf8' });
  }
});

/** Prints the digest of the code of each function, by the name of the function. */
const APP = `
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { WorkforceNotifier } from '${NAME}';

const app = new App({ analyticsReporting: false });
const stack = new Stack(app, 'p');
new WorkforceNotifier(stack, 'Notifier', { config: ${JSON.stringify(CONFIG)} });
const assembly = app.synth();
const { Resources: resources } = assembly.getStackByName('p').template;
const assets = JSON.parse(readFileSync(join(assembly.directory, 'p.assets.json'), 'utf8')).files;
const names = {};
for (const { Type, Properties } of Object.values(resources)) {
  if (Type !== 'AWS::Lambda::Function') continue;
  const { path } = assets[Properties.Code.S3Key.replace('.zip', '')].source;
  const bytes = readFileSync(join(assembly.directory, path, '${BUNDLE_FILE}'));
  const name = Properties.FunctionName.replace('p-', '');
  names[name] = createHash('sha256').update(bytes).digest('hex');
}
console.log(JSON.stringify(names));
`;

const TYPED = `
import { Stack } from 'aws-cdk-lib';
import { WorkforceNotifier } from '${NAME}';

export function add(stack: Stack): string {
  // @ts-expect-error no such setting
  new WorkforceNotifier(stack, 'Wrong', { config: { connections: [], webhoks: [] } });
  const { topics } = new WorkforceNotifier(stack, 'Notifier', { config: ${JSON.stringify(CONFIG)} });
  return topics.timesheets.topicArn;
}
`;

function beginStack(name: string): Stack {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  return new Stack(app, name);
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
