import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';

/** What is built into a package. */
const COPIED = [
  ...['bin', 'cli', 'console', 'docs', 'functions', 'infra', 'kit', 'local', 'shared', 'workshop'],
  ...['LICENSE', 'notifier.config.ts', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'],
];

interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const DYNAMO = 'shared/adapters/dynamo';
/** What a later version may add to stored formats, and versions before it must read (docs/architecture.md, Storage). */
const PATCHES: readonly Patch[] = [
  // An attribute of every item that is put.
  {
    file: `${DYNAMO}/items.ts`,
    from: '[ATTRIBUTE.format]: FORMAT,',
    to: "[ATTRIBUTE.format]: FORMAT, later: 'unknown',",
  },
  // An attribute of every item that is updated, such as the state of a connection.
  {
    file: `${DYNAMO}/updates.ts`,
    from: 'buildUpdate({ key, values, condition }: ItemUpdate): UpdateInput {',
    to: "buildUpdate({ key, values: own, condition }: ItemUpdate): UpdateInput { const values = { ...own, later: 'unknown' };",
  },
  // A member of every item whose body is JSON: waiting events, deliveries, disabled webhooks.
  {
    file: `${DYNAMO}/items.ts`,
    from: 'JSON.stringify(value)',
    to: "JSON.stringify({ ...value, later: { of: 'a later version' } })",
  },
  // A member of a row that cannot be read.
  {
    file: `${DYNAMO}/bucket-items.ts`,
    from: 'memory ?? null, bad]',
    to: "memory ?? null, bad, ['later']]",
  },
  // A member of a sealed message.
  {
    file: `${DYNAMO}/channels/channel-items.ts`,
    from: 'JSON.stringify({ message, eventIds })',
    to: 'JSON.stringify({ message, eventIds, later: 1 })',
  },
];

/**
 * Copies the project into a folder and makes it a later version: one whose stored formats hold more than this one knows,
 * and whose events of records have a member more. Throws when the code to be changed is not there once.
 */
export function makeLaterVersion(folder: string, member: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(PROJECT_ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of [...PATCHES, ...listMemberPatches(member)]) {
    const path = join(folder, file);
    const parts = readFileSync(path, 'utf8').split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    writeFileSync(path, parts.join(to));
  }
  return folder;
}

function listMemberPatches(member: string): readonly Patch[] {
  return [
    {
      file: 'shared/core/events/events.ts',
      from: 'collapsed: transition.collapsed,',
      to: `collapsed: transition.collapsed, ${member}: 'of a later version',`,
    },
    {
      file: 'shared/core/definitions/record-data.ts',
      from: '  collapsed: z',
      to: `  ${member}: z.string().optional(),\n  collapsed: z`,
    },
  ];
}
