import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, pack, runIn } from './foreign-project.ts';
import { makeLaterVersion } from './later-version.ts';

/** The package that operators install. */
export const NAME = 'workforce-change-notifier-cdk';
/** Its command, in a project. */
export const PROGRAM = `node_modules/${NAME}/bin/run-notifier.js`;
/** A member that the events of the later version have more, as a minor version may add one. */
export const LATER_MEMBER = 'laterMember';

const RELEASED = resolve('test/fixtures/released');
const [LAST_RELEASE] = readdirSync(RELEASED).filter((file) => file.endsWith('.tgz'));

/** A version of the package, by how its archive is made in a folder of its own. Returns the path of the archive. */
const VERSIONS = {
  'the last release': () => join(RELEASED, LAST_RELEASE ?? ''),
  'this version': (folder: string) => buildArchive(folder),
  'a later version': buildLater,
};

export type Version = keyof typeof VERSIONS;

/** From a version to the next one, and back: the made-up one always, a release as soon as there is one. */
export const UPGRADES: readonly (readonly [Version, Version])[] = [
  ['this version', 'a later version'],
  ...(LAST_RELEASE === undefined ? [] : [['the last release', 'this version'] as const]),
];

/** The archives of all versions of some upgrades, made in a folder. */
export function makeArchives(upgrades: typeof UPGRADES, folder: string): ReadonlyMap<Version, string> {
  const versions = [...new Set(upgrades.flat())];
  return new Map(
    versions.map((version) => [version, VERSIONS[version](join(folder, version.replaceAll(' ', '-')))]),
  );
}

/** A later version: its stored formats, its events and its number are others. */
function buildLater(folder: string): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const repository = makeLaterVersion(join(folder, 'repository'), {
    copied: ['bin', 'cli', 'console', 'docs', 'kit', 'local', 'workshop', 'LICENSE'],
    patches: [
      { file: 'package.json', from: `"version": "${version}"`, to: `"version": "${version}-later"` },
      {
        file: 'shared/core/events/events.ts',
        from: 'collapsed: transition.collapsed,',
        to: `collapsed: transition.collapsed, ${LATER_MEMBER}: 'of a later version',`,
      },
      {
        file: 'shared/core/definitions/record-data.ts',
        from: '  collapsed: z',
        to: `  ${LATER_MEMBER}: z.string().optional(),\n  collapsed: z`,
      },
    ],
  });
  return buildArchive(folder, repository);
}

function buildArchive(folder: string, repository?: string): string {
  const built = build(NAME, { into: join(folder, 'built'), repository });
  return join(built, pack(join(built, NAME), built).filename);
}

const KEPT = /^AWS::(?:DynamoDB::Table|SNS::(?:Topic|Subscription)|SQS::Queue|KMS::(?:Key|Alias)) /;

/** What is compared: a template before, and the assembly of a later one. */
interface Comparison {
  /** Where the file of the first template is written. */
  readonly folder: string;
  readonly before: string;
  readonly assembly: string;
  readonly stackName: string;
}

/** Lines of `cdk diff` about what would be replaced, and about what holds messages or data and would be removed. */
export function listLost({ folder, before, assembly, stackName }: Comparison): string[] {
  writeFileSync(join(folder, 'before.json'), before);
  const cdk = [
    resolve('node_modules/aws-cdk/bin/cdk'),
    'diff',
    stackName,
    '--ci',
    '--no-notices',
    '--no-color',
  ];
  const output = runIn(folder, process.execPath, [...cdk, '--app', assembly, '--template', 'before.json'], {
    ...process.env,
    HOME: folder,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  });
  return output
    .split('\n')
    .filter(
      (line) =>
        /^\[~\] AWS::.* (?:may be replaced|replace)\b/.test(line) ||
        (line.startsWith('[-] ') && KEPT.test(line.slice('[-] '.length))),
    );
}
