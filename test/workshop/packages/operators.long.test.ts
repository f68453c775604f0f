import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderConfig, UNANSWERED } from '#cli/init/render-config.ts';
import { BUNDLE_FILE, buildCodeProps, listFunctions } from '#infra/bundling/bundling.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { apiReportOf, PUBLIC_MODULES, renderApiReport } from '#workshop/packages/release.ts';
import { CONNECTION, EVERYTHING } from '../../infra/synthesized.ts';
import { type ForeignProject, installPackage, listImports, runIn } from './foreign-project.ts';

const NAME = 'workforce-change-notifier-cdk';
const CONFIG = { ...EVERYTHING, connections: [CONNECTION] };

let project: ForeignProject;

beforeAll(() => {
  project = installPackage(NAME);
  writeFileSync(join(project.folder, 'notifier.config.ts'), renderConfig(UNANSWERED));
});

afterAll(() => project.remove());

describe('what is in it', () => {
  test('JavaScript, the functions, what pages load and the documents; no source, test or tool', () => {
    const { packed } = project;
    expect(packed.filter((path) => /(?<!\.d)\.tsx?$/.test(path))).toEqual([]);
    expect(packed.filter((path) => /^(?:test|workshop|examples)\//.test(path))).toEqual([]);
    for (const path of [
      'console/pages/assets/page.js',
      'docs/runbook.md',
      'functions/poll/index.mjs',
      'README.md',
    ])
      expect(packed).toContain(path);
  });

  test('what its modules import is installed with it, and nothing else', () => {
    const imported = project.packed
      .filter((path) => path.endsWith('.js') && !path.startsWith('console/pages/assets/'))
      .flatMap((path) => listImports(project.read(path)));
    const { dependencies = {}, peerDependencies = {} } = project.packageFile;
    expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual(
      [...new Set(imported)].sort(),
    );
    expect(Object.keys(peerDependencies)).toEqual(['aws-cdk-lib', 'constructs']);
  });

  test('npm on Node 20 warns of no package: what asks for a newer Node is bundled, with its licence', () => {
    const { dependencies = {}, peerDependencies = {} } = project.packageFile;
    const roots = [...Object.keys({ ...dependencies, ...peerDependencies }), 'aws-cdk', 'node'];
    const asks = [...listNodes(roots)];
    expect(asks.length).toBeGreaterThan(40);
    expect(asks.filter(([, range]) => !admitsNode20(range))).toEqual([]);
    expect(project.read('LICENSES.md')).toMatch(/## cookie [\d.]+: MIT\n\n.*Permission is hereby granted/s);
  });

  test('only its two modules can be imported', () => {
    const { resolve: find } = createRequire(join(project.folder, 'consumer.cjs'));
    expect(find(NAME)).toContain('infra/notifier-stack.js');
    expect(find(`${NAME}/config`)).toContain('infra/config.js');
    expect(() => find(`${NAME}/shared/flow/poll.js`)).toThrow('not defined by "exports"');
  });
});

describe('the construct', () => {
  test('deploys the functions that the sources do, to the byte, with the digests that it names', () => {
    const code = JSON.parse(project.runScript('app.mjs', APP)) as Record<string, string>;
    const digests = JSON.parse(project.read('functions/digests.json')) as Record<string, string>;
    expect(Object.keys(digests).sort()).toEqual(listFunctions().sort());
    expect(Object.values(code).sort()).toEqual(Object.values(digests).sort());
    const stack = new Stack(new App({ outdir: join(project.folder, 'sources') }), 'Sources');
    new LambdaFunction(stack, 'Function', buildCodeProps('collect-alerts', parseNotifierConfig(CONFIG)));
    const [bundled] = readdirSync(join(project.folder, 'sources'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => path.endsWith(BUNDLE_FILE));
    const bytes = readFileSync(join(project.folder, 'sources', String(bundled)));
    expect(digests['collect-alerts']).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test.each([
    ['nodenext', []],
    // As `cdk init` makes projects.
    ['commonjs', ['--moduleResolution', 'bundler']],
  ])('has types that a strict %s project compiles with, and that reject a wrong config', (module, others) => {
    writeFileSync(join(project.folder, 'typed.ts'), TYPED);
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--exactOptionalPropertyTypes', '--types', ''];
    const target = ['--target', 'es2022', '--module', module, ...others, 'typed.ts'];
    const compiler = resolve('node_modules/typescript/bin/tsc');
    expect(project.run(process.execPath, [compiler, ...flags, ...target])).toBe('');
  });
});

describe('the programs, in a project with a config', () => {
  const program = (...args: string[]) =>
    project.run(process.execPath, [`node_modules/${NAME}/bin/run-notifier.js`, ...args]);

  test('the commands are those of the repository', () => {
    expect(program('--help')).toContain('  init  ');
    expect(program('start', '--help')).toContain('--once');
  });

  test('the sample company runs, and its events come out', () => {
    const lines = program('start', '--once', '--output', 'ndjson').trim().split('\n');
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.filter((type) => type === 'workforce.baseline.completed')).toHaveLength(2);
    expect(readdirSync(project.folder)).toEqual(expect.arrayContaining(['.cache', '.data']));
  });

  test('the app of the CDK makes the stack of the config', () => {
    const environment = ['-e', `process.env.CDK_OUTDIR = 'cdk.out'; await import('${NAME_OF_APP}')`];
    project.run(process.execPath, ['--input-type=module', ...environment]);
    const template = readFileSync(join(project.folder, 'cdk.out/workforce-notifier.template.json'), 'utf8');
    expect(template).toContain('workforce-notifier-poll');
  });
});

describe('beside the lowest and the highest aws-cdk-lib of its range, of which the lowest comes from the registry', () => {
  test('it makes the same parts, so that a newer CDK replaces none', () => {
    const { peerDependencies = {} } = project.packageFile;
    const lowest = Object.entries(peerDependencies).map(([name, range]) => [name, range.replace(/^\^/, '')]);
    const oldest = join(project.folder, 'oldest');
    mkdirSync(oldest);
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', oldest];
    runIn(oldest, 'npm', ['install', ...quiet, ...lowest.map((each) => each.join('@'))]);
    const newer = JSON.parse(project.runScript('peers.mjs', PARTS));
    expect(Object.keys(newer.parts).length).toBeGreaterThan(75);
    for (const [name = ''] of lowest) {
      const place = join(project.folder, 'node_modules', name);
      rmSync(place);
      symlinkSync(join(oldest, 'node_modules', name), place);
    }
    const older = JSON.parse(project.runScript('peers.mjs', PARTS));
    expect(older.parts).toEqual(newer.parts);
    expect(older.version).toBe(lowest[0]?.[1]);
    const tried = `Tried with aws-cdk-lib ${older.version} to ${newer.version}.`;
    expect(project.read('README.md')).toContain(tried);
  });
});

describe('what it promises', () => {
  test('is what was agreed to; `npm run build -- --api` writes it anew', () => {
    const report = renderApiReport(join(project.built, NAME), PUBLIC_MODULES[NAME]);
    expect(report).toBe(readFileSync(apiReportOf(NAME), 'utf8'));
  });
});

/** Which Node each of these packages asks for, and each that they need, by their folders. */
function listNodes(names: readonly string[], from = '.', found = new Map<string, string>()) {
  for (const name of names) {
    const folder = findInstalled(name, from);
    if (found.has(folder)) continue;
    const { engines, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    found.set(folder, engines?.node ?? '');
    listNodes(Object.keys(dependencies), folder, found);
  }
  return found;
}

/** As Node looks for it, from a folder upwards. */
function findInstalled(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  return existsSync(folder) ? folder : findInstalled(name, dirname(from));
}

/** Of ranges such as `>=18`, `>= 14.15.0` and `^20.17.0 || >=22.9.0`. */
function admitsNode20(range: string): boolean {
  return range.split('||').some((part) => {
    const [, sign = '', major = '0'] = /^\s*([<>=^~]*)\s*(\d*)/.exec(part) ?? [];
    return sign === '>=' || sign === '>' ? Number(major) <= 20 : ['', '0', '20'].includes(major);
  });
}

const NAME_OF_APP = `./node_modules/${NAME}/infra/app.js`;

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

/** Prints types of all resources by their logical ids, and the version of the CDK. */
const PARTS = `
import { createRequire } from 'node:module';
import { App, Stack } from 'aws-cdk-lib';
import { WorkforceNotifier } from '${NAME}';

const app = new App({ analyticsReporting: false });
new WorkforceNotifier(new Stack(app, 'p'), 'Notifier', ${JSON.stringify({ config: CONFIG, encryption: 'customer-managed' })});
const { Resources: resources } = app.synth().getStackByName('p').template;
const parts = Object.entries(resources).map(([id, { Type }]) => [id, Type]).sort();
const { version } = createRequire(import.meta.url)('aws-cdk-lib/package.json');
console.log(JSON.stringify({ version, parts: Object.fromEntries(parts) }));
`;

const TYPED = `
import { Stack } from 'aws-cdk-lib';
import { WorkforceNotifier } from '${NAME}';
import { defineNotifierConfig, PAYING_EVENT_TYPES } from '${NAME}/config';

export const config = defineNotifierConfig({
  connections: [${JSON.stringify(CONNECTION)}],
  queues: [{ name: 'payroll', topics: ['timesheets'], filter: { type: PAYING_EVENT_TYPES } }],
});

export function add(stack: Stack): string {
  // @ts-expect-error no such setting
  new WorkforceNotifier(stack, 'Wrong', { config: { connections: [], webhoks: [] } });
  const { topics } = new WorkforceNotifier(stack, 'Notifier', { config: ${JSON.stringify(CONFIG)} });
  return topics.timesheets.topicArn;
}
`;
