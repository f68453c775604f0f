import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONNECTION, EVERYTHING } from '../../infra/synthesized.ts';
import { type ForeignProject, installPackage, runIn } from './foreign-project.ts';

/** The construct beside the lowest and the highest aws-cdk-lib of its range. The lowest comes from the registry. */

const NAME = 'workforce-change-notifier-cdk';
const PROPS = { config: { ...EVERYTHING, connections: [CONNECTION] }, encryption: 'customer-managed' };

let project: ForeignProject;
let lowest: Readonly<Record<string, string>>;
let oldest: string;

beforeAll(() => {
  project = installPackage(NAME);
  const { peerDependencies = {} } = project.packageFile;
  lowest = Object.fromEntries(
    Object.entries(peerDependencies).map(([name, range]) => [name, range.replace(/^\^/, '')]),
  );
  oldest = join(project.folder, 'oldest');
  mkdirSync(oldest);
  const packages = Object.entries(lowest).map(([name, version]) => `${name}@${version}`);
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', oldest];
  runIn(oldest, 'npm', ['install', ...quiet, ...packages]);
}, 300_000);

afterAll(() => project.remove());

test('the range begins with a version and ends before the next major one', () => {
  const { peerDependencies } = project.packageFile;
  expect(Object.keys(lowest)).toEqual(['aws-cdk-lib', 'constructs']);
  for (const range of Object.values(peerDependencies ?? {})) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
});

describe('both ends of the range', () => {
  test('are what is tried here, and what the README of the package says', () => {
    const tried = `aws-cdk-lib ${lowest['aws-cdk-lib']} to ${highest('aws-cdk-lib')}`;
    expect(readVersion(oldest, 'aws-cdk-lib')).toBe(lowest['aws-cdk-lib']);
    expect(readVersion(oldest, 'constructs')).toBe(lowest.constructs);
    expect(project.read('README.md')).toContain(tried);
  });

  test('make the same parts, so that a newer CDK replaces none', () => {
    const newest = synthesize();
    expect(newest.version).toBe(highest('aws-cdk-lib'));
    expect(Object.keys(newest.parts).length).toBeGreaterThan(75);
    for (const name of Object.keys(lowest)) {
      const place = join(project.folder, 'node_modules', name);
      rmSync(place);
      symlinkSync(join(oldest, 'node_modules', name), place);
    }
    const older = synthesize();
    expect(older.version).toBe(lowest['aws-cdk-lib']);
    expect(older.parts).toEqual(newest.parts);
  });
});

/** The version of this repository. */
function highest(name: string): string {
  return readVersion('.', name);
}

function readVersion(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** Types of all resources by their logical ids, and the CDK that made them. */
function synthesize(): { readonly version: string; readonly parts: Readonly<Record<string, string>> } {
  return JSON.parse(project.runScript('peers.mjs', APP));
}

const APP = `
import { createRequire } from 'node:module';
import { App, Stack } from 'aws-cdk-lib';
import { WorkforceNotifier } from '${NAME}';

const app = new App({ analyticsReporting: false });
new WorkforceNotifier(new Stack(app, 'p'), 'Notifier', ${JSON.stringify(PROPS)});
const { Resources: resources } = app.synth().getStackByName('p').template;
const parts = Object.entries(resources).map(([id, { Type }]) => [id, Type]).sort();
const { version } = createRequire(import.meta.url)('aws-cdk-lib/package.json');
console.log(JSON.stringify({ version, parts: Object.fromEntries(parts) }));
`;
