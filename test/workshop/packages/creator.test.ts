import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFiles } from '#workshop/packages/package-folder.ts';
import { type ForeignProject, installPackage } from './foreign-project.ts';

const NAME = 'create-workforce-notifier';

let project: ForeignProject;

beforeAll(() => {
  project = installPackage(NAME);
});

afterAll(() => project.remove());

async function create(...args: string[]) {
  const child = spawn(process.execPath, [join('node_modules', NAME, 'main.js'), ...args], {
    cwd: project.folder,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

const readFrom = (folder: string, name: string) => readFileSync(join(project.folder, folder, name), 'utf8');

describe('npm create workforce-notifier', () => {
  test('writes five files, and says what comes next', async () => {
    const { code, stdout } = await create('acme');
    expect(code).toBe(0);
    const files = listFiles(join(project.folder, 'acme')).map((path) => path.split('/acme/')[1]);
    expect(files.sort()).toEqual(
      ['.github/workflows/deploy.yml', '.gitignore', 'cdk.json', 'notifier.config.ts', 'package.json'].sort(),
    );
    expect(stdout).toContain('cd acme\n  npm install\n  npm start');
  });

  test('the project installs the versions that this one was tested with, and its Node; npm update takes a later notifier', async () => {
    await create('pinned');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const pinned = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const { name, dependencies, devDependencies, scripts } = JSON.parse(readFrom('pinned', 'package.json'));
    expect(name).toBe('pinned');
    expect(dependencies).toEqual({ 'workforce-change-notifier-cdk': `^${version}` });
    expect(Object.keys(devDependencies)).toEqual(['aws-cdk', 'aws-cdk-lib', 'constructs', 'node']);
    for (const [each, its] of Object.entries(devDependencies)) expect(its).toBe(pinned.devDependencies[each]);
    expect(scripts).toMatchObject({ start: 'notifier start', notifier: 'notifier' });
  });

  test('its template is made with the feature flags of this repository', async () => {
    await create('flags');
    const { app, context } = JSON.parse(readFrom('flags', 'cdk.json'));
    expect(app).toBe('npx --no-install workforce-notifier-app');
    expect(context).toEqual(JSON.parse(readFileSync('cdk.json', 'utf8')).context);
  });

  test('writes over nothing', async () => {
    mkdirSync(join(project.folder, 'mine'));
    writeFileSync(join(project.folder, 'mine', 'cdk.json'), 'mine');
    const { code, stderr } = await create('mine');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Nothing is written: .*mine has cdk\.json already; name an empty folder\.$/m);
    expect(readFrom('mine', 'cdk.json')).toBe('mine');
    expect(existsSync(join(project.folder, 'mine', 'package.json'))).toBe(false);
  });

  test('names the project after its folder, as npm accepts it', async () => {
    await create('Ünsere Firma (Test)');
    expect(JSON.parse(readFrom('Ünsere Firma (Test)', 'package.json')).name).toBe('nsere-firma-test');
  });

  test('runs from any place', async () => {
    cpSync(join(project.folder, 'node_modules', NAME), join(project.folder, 'elsewhere'), {
      recursive: true,
    });
    const { stdout } = await create('--help');
    expect(stdout).toContain('Usage: npm create workforce-notifier [folder]');
  });
});
