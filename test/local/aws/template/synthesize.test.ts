import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
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

test('where the program cannot be written, what is built is in the data folder, for the user alone', async () => {
  const project = projectWith(APP);
  // A folder without the right to write would not hold up root.
  writeFileSync(join(project, '.cache'), '');
  const data = createTemporaryFolder('data');
  const folder = await synthesize(() => {}, { ...placesIn(project), data });
  expect(dirname(folder)).toBe(join(data, 'built'));
  expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
  expect(await synthesize(() => {}, { ...placesIn(project), data })).toBe(folder);
  await expect(synthesize(() => {}, placesIn(project))).rejects.toMatchObject({
    code: 'cache_unwritable',
    message: `what is built cannot be kept in ${project}/.cache/synth; name a folder that can be written with --data`,
  });
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
