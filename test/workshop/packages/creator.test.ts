import { spawn, spawnSync } from 'node:child_process';
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
  test('writes eight files, and says what comes next', async () => {
    const { code, stdout } = await create('acme');
    expect(code).toBe(0);
    const files = listFiles(join(project.folder, 'acme')).map((path) => path.split('/acme/')[1]);
    expect(files.sort()).toEqual(
      [
        '.github/workflows/deploy.yml',
        '.gitignore',
        'app.ts',
        'cdk.json',
        'notifier.config.ts',
        'package.json',
        'pinned-node/check.mjs',
        'pinned-node/digests.json',
      ].sort(),
    );
    expect(stdout).toContain('cd acme\n  npm install\n  npm start');
  });

  test('the project installs the versions that this one was tested with, and its Node; npm update takes a later notifier', async () => {
    await create('Ünsere Firma (Test)');
    const pinned = JSON.parse(readFileSync('package.json', 'utf8'));
    const written = JSON.parse(readFrom('Ünsere Firma (Test)', 'package.json'));
    const { name, dependencies, devDependencies, scripts } = written;
    // As npm accepts it.
    expect(name).toBe('nsere-firma-test');
    expect(dependencies).toEqual({ 'workforce-change-notifier-cdk': `^${pinned.version}` });
    expect(Object.keys(devDependencies)).toEqual(['aws-cdk', 'aws-cdk-lib', 'constructs', 'node']);
    for (const [each, its] of Object.entries(devDependencies)) expect(its).toBe(pinned.devDependencies[each]);
    expect(scripts).toMatchObject({ start: 'notifier start', notifier: 'notifier' });
  });

  test('the project compares the Node that it installs, on the Node of npm, and removes another one', async () => {
    await create('compared');
    const { scripts, devDependencies } = JSON.parse(readFrom('compared', 'package.json'));
    expect(scripts.prepare).toBe(
      '"$npm_node_execpath" pinned-node/check.mjs || "%npm_node_execpath%" pinned-node/check.mjs',
    );
    const digests = JSON.parse(readFrom('compared', 'pinned-node/digests.json'));
    expect(digests).toEqual(JSON.parse(readFileSync('infra/pinned-node/digests.json', 'utf8')));
    expect(digests.version).toBe(devDependencies.node);
    const folder = join(project.folder, 'compared');
    const binary = join(folder, 'node_modules/node/bin/node');
    mkdirSync(join(binary, '..'), { recursive: true });
    const prepare = () =>
      spawnSync('sh', ['-c', scripts.prepare], {
        cwd: folder,
        env: { ...process.env, npm_node_execpath: process.execPath },
        encoding: 'utf8',
      });
    cpSync('node_modules/node/bin/node', binary);
    expect(prepare()).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(binary, 'changed on its way');
    const { status, stderr } = prepare();
    expect(status).not.toBe(0);
    expect(stderr).toContain(`is pinned for Node ${digests.version}`);
    expect(existsSync(binary)).toBe(false);
  });

  test('the workflow builds without credentials, and deploys what was built from main alone, where an environment asks', async () => {
    await create('deployed');
    const workflow = readFrom('deployed', '.github/workflows/deploy.yml');
    const [head = '', build = '', deploy = ''] = workflow.split(/^ {2}(?:build|deploy):$/m);
    expect(head).toContain('\npermissions: {}\n');
    expect(permissionsOf(build)).toEqual(['contents: read']);
    // No install script but that of node, which it compares.
    expect(commandsOf(build)).toEqual([
      'npm ci --ignore-scripts',
      'npm rebuild node',
      'node pinned-node/check.mjs',
      'npx cdk synth --quiet',
    ]);
    expect(build).not.toMatch(/aws|environment:/);
    expect(permissionsOf(deploy)).toEqual(['contents: read', 'id-token: write']);
    expect(deploy).toContain("\n    needs: build\n    if: github.ref == 'refs/heads/main'\n");
    expect(deploy).toContain('\n    environment: production\n');
    expect(commandsOf(deploy)).toEqual([
      'npm ci --ignore-scripts',
      'npx cdk deploy --app cdk.out --require-approval never',
      'npx notifier doctor',
    ]);
    const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(actions).toHaveLength(7);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const checkouts = workflow.split('uses: actions/checkout@').slice(1);
    for (const each of checkouts) expect(each).toMatch(/^.+\n +with:\n +persist-credentials: false\n/);
  });

  test('the document on its role trusts this audience and one environment of one repository', () => {
    const text = readFileSync('docs/in-your-company.md', 'utf8');
    const [, policy = ''] = /<!-- the role's trust policy -->\n```json\n([^`]+)```/.exec(text) ?? [];
    const { Statement } = JSON.parse(policy);
    const issuer = 'token.actions.githubusercontent.com';
    expect(Statement.map(({ Condition }: { Condition: unknown }) => Condition)).toEqual([
      {
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: 'repo:acme/my-notifier:environment:production',
        },
      },
    ]);
  });

  test('its template is made with the feature flags of this repository', async () => {
    await create('flags');
    const { app, context } = JSON.parse(readFrom('flags', 'cdk.json'));
    expect(app).toBe('npx --no-install node app.ts');
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
});

/** What a job of a workflow may do. */
function permissionsOf(job: string): string[] {
  const [, listed = ''] = /^ {4}permissions:\n((?: {6}.+\n)+)/m.exec(job) ?? [];
  return listed.trim().split(/\n\s*/);
}

function commandsOf(job: string): string[] {
  return [...job.matchAll(/- run: (.+)/g)].map(([, command = '']) => command);
}
