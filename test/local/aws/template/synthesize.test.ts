import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findUserCache } from '#local/aws/template/cache-folder.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

/** An app that counts its runs and writes its input. */
const APP = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
appendFileSync('runs', 'x');
writeFileSync(process.env.CDK_OUTDIR + '/manifest.json', process.env.CDK_CONTEXT_JSON ?? '');
`;

test('the app is run once for one state of the code, with the context of cdk.json', async () => {
  const project = projectWith(APP);
  const notes: string[] = [];
  const first = await synthesize((text) => notes.push(text), placesIn(project));
  const second = await synthesize((text) => notes.push(text), placesIn(project));
  expect(second).toBe(first);
  expect(readFileSync(join(first, 'manifest.json'), 'utf8')).toBe('{"flag":true}');
  expect(runsOf(project)).toBe(1);
  expect(notes).toHaveLength(1);
});

test.each([
  ['functions/poll/handler.ts'],
  ['shared/core/a.ts'],
  ['notifier.config.ts'],
  ['package-lock.json'],
])('a change of %s is synthesized, and reverting it uses the cache', async (file) => {
  const project = projectWith(APP);
  const before = await synthesize(() => {}, placesIn(project));
  writeFileSync(join(project, file), 'changed');
  const changed = await synthesize(() => {}, placesIn(project));
  expect(changed).not.toBe(before);
  writeFileSync(join(project, file), '');
  expect(await synthesize(() => {}, placesIn(project))).toBe(before);
  expect(runsOf(project)).toBe(2);
});

test('an app that was changed while it was synthesized is synthesized again', async () => {
  const project = projectWith(`${APP}
    if (readFileSync('runs', 'utf8') === 'x') writeFileSync('shared/core/a.ts', 'saved meanwhile');
  `);
  const folder = await synthesize(() => {}, placesIn(project));
  expect(runsOf(project)).toBe(2);
  expect(await synthesize(() => {}, placesIn(project))).toBe(folder);
});

test('two runs at the same time agree on one assembly', async () => {
  const project = projectWith(APP);
  const [first, second] = await Promise.all([
    synthesize(() => {}, placesIn(project)),
    synthesize(() => {}, placesIn(project)),
  ]);
  expect(first).toBe(second);
  expect(existsSync(join(first, 'manifest.json'))).toBe(true);
  const folders = readdirSync(join(project, '.cache', 'synth'), { withFileTypes: true });
  expect(folders.filter((entry) => entry.isDirectory())).toHaveLength(1);
});

test('only the newest few assemblies are kept', async () => {
  const project = projectWith(APP);
  for (let state = 0; state < 8; state += 1) {
    writeFileSync(join(project, 'notifier.config.ts'), String(state));
    await synthesize(() => {}, placesIn(project));
  }
  const folders = readdirSync(join(project, '.cache', 'synth'), { withFileTypes: true });
  expect(folders.filter((entry) => entry.isDirectory())).toHaveLength(6);
});

test('an app that fails is an error in one line, and leaves nothing', async () => {
  const project = projectWith("console.error('reading');\nthrow new Error('no such zone');");
  await expect(synthesize(() => {}, placesIn(project))).rejects.toMatchObject({
    code: 'synth_failed',
    message: expect.stringMatching(
      /^cannot synthesize the CDK app \(.*no such zone.*\); run `npx cdk synth`/,
    ),
  });
  expect(readdirSync(join(project, '.cache', 'synth'))).toEqual(['package.json']);
});

describe('where the program cannot be written', () => {
  const writeProtected = (project: string) => {
    // A folder without the right to write would not hold up root.
    writeFileSync(join(project, '.cache'), '');
    return placesIn(project);
  };

  test("what is built is in the user's cache folder, for the user alone, and found again", async () => {
    const home = createTemporaryFolder('home');
    vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
    const places = writeProtected(projectWith(APP));
    const folder = await synthesize(() => {}, places);
    expect(dirname(folder)).toBe(join(home, 'cache', 'workforce-change-notifier'));
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
    expect(await synthesize(() => {}, places)).toBe(folder);
    expect(runsOf(places.project)).toBe(1);
  });

  test('what another user may have put there is not run: what is built is in the data folder', async () => {
    const home = createTemporaryFolder('home');
    vi.stubEnv('XDG_CACHE_HOME', home);
    mkdirSync(join(home, 'workforce-change-notifier'));
    vi.spyOn(process, 'geteuid').mockReturnValue((process.geteuid?.() ?? 0) + 1);
    const data = createTemporaryFolder('data');
    const folder = await synthesize(() => {}, { ...writeProtected(projectWith(APP)), data });
    expect(dirname(folder)).toBe(join(data, 'built'));
    vi.restoreAllMocks();
  });

  test("nor the user's cache folder, it is in the data folder, or the error is one line", async () => {
    const [file, data] = [join(createTemporaryFolder('home'), 'file'), createTemporaryFolder('data')];
    writeFileSync(file, '');
    vi.stubEnv('XDG_CACHE_HOME', file);
    const places = writeProtected(projectWith(APP));
    expect(dirname(await synthesize(() => {}, { ...places, data }))).toBe(join(data, 'built'));
    await expect(synthesize(() => {}, places)).rejects.toMatchObject({
      code: 'cache_unwritable',
      message: `what is built cannot be kept in ${places.project}/.cache/synth or ${file}/workforce-change-notifier; set XDG_CACHE_HOME to a folder of yours that can be written`,
    });
  });

  afterEach(() => vi.unstubAllEnvs());
});

test.each([
  ['linux', { XDG_CACHE_HOME: '/c' }, '/c'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, join(homedir(), '.cache')],
  ['linux', {}, join(homedir(), '.cache')],
  ['darwin', {}, join(homedir(), 'Library', 'Caches')],
  ['win32', { LOCALAPPDATA: '/local' }, '/local'],
  ['win32', {}, join(homedir(), 'AppData', 'Local')],
] as const)('the cache folder of a user of %s with %j is %s', (platform, environment, folder) => {
  expect(findUserCache(environment, platform)).toBe(folder);
});

/** The program and the operator's project in one folder, as in this repository. */
function placesIn(project: string) {
  return { program: project, project };
}

function projectWith(app: string): string {
  const project = createTemporaryFolder('project');
  for (const folder of ['infra', 'functions/poll', 'shared/core']) {
    mkdirSync(join(project, folder), { recursive: true });
  }
  for (const file of [
    'functions/poll/handler.ts',
    'shared/core/a.ts',
    'notifier.config.ts',
    'package-lock.json',
  ]) {
    writeFileSync(join(project, file), '');
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'infra', 'app.ts'), app);
  writeFileSync(join(project, 'cdk.json'), '{"app":"infra/app.ts","context":{"flag":true}}');
  return project;
}

function runsOf(project: string): number {
  return readFileSync(join(project, 'runs'), 'utf8').length;
}
