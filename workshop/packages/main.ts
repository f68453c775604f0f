import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { PROGRAM_ROOT } from '#infra/project-root.ts';
import { ROOT_PACKAGE } from './package-folder.ts';
import { writeCreator, writeOperators, writeSubscribers } from './published.ts';
import { apiReportOf, describeRelease, findProblems, PUBLIC_MODULES, renderApiReport } from './release.ts';

const WRITERS = {
  'workforce-change-notifier': writeSubscribers,
  'workforce-change-notifier-cdk': writeOperators,
  'create-workforce-notifier': writeCreator,
};

const program = new Command('node workshop/packages/main.ts')
  .description('Writes what is published to npm, each package into a folder of its own below the given one.')
  .argument('<folder>', 'where')
  .addArgument(new Argument('[package...]', 'which (default: all)').choices(Object.keys(WRITERS)))
  .option('--api', 'write also what they promise into workshop/packages/api, where a test compares it')
  .option('--release', 'print how this commit is tagged and published, or why it cannot be')
  .parse();
const [target = '', ...chosen] = program.args;
const values = program.opts<{ readonly api?: true; readonly release?: true }>();
for (const [name, write] of Object.entries(WRITERS)) {
  if (chosen.length === 0 || chosen.includes(name)) write(name, join(resolve(target), name));
}
if (values.api) {
  for (const [name, modules] of Object.entries(PUBLIC_MODULES)) {
    writeFileSync(apiReportOf(name), renderApiReport(join(resolve(target), name), modules));
  }
}
if (values.release) {
  const { version } = ROOT_PACKAGE;
  const read = (path: string) => readFileSync(join(PROGRAM_ROOT, path), 'utf8');
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: PROGRAM_ROOT, encoding: 'utf8' });
  const problems = findProblems({
    version,
    lockedVersion: JSON.parse(read('package-lock.json')).version,
    changes: read('CHANGELOG.md'),
    uncommitted: status.split('\n').filter(Boolean),
  });
  if (problems.length === 0) console.log(describeRelease(version, Object.keys(WRITERS)));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
