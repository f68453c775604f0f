import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResolvedResource } from '#local/aws/template/deployment.ts';

/** Handlers for functions of a fixture; each has its own export. */
export const HANDLERS_FOLDER = fileURLToPath(new URL('./fixtures/handlers', import.meta.url));
const HANDLERS_KEY = 'handlers.zip';

export type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

export function createTemporaryFolder(label: string): string {
  return mkdtempSync(join(tmpdir(), `${label}-`));
}

/** Writes a cloud assembly with one stack, as `cdk synth` would, and returns its folder. */
export function writeAssembly(resources: Resources, handlersFolder = HANDLERS_FOLDER): string {
  const folder = createTemporaryFolder('assembly');
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  write('manifest.json', {
    version: '1.0.0',
    artifacts: {
      Fixture: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'Fixture.template.json' },
      },
      Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
    },
  });
  symlinkSync(handlersFolder, join(folder, 'asset.handlers'), 'dir');
  write('Fixture.template.json', { Resources: resources });
  return folder;
}

/** A function whose handler is this export of the fixture handlers. */
export function fixtureFunction(handler: string, properties: Record<string, unknown> = {}) {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: { 'Fn::Join': ['-', ['assets', { Ref: 'AWS::AccountId' }]] }, S3Key: HANDLERS_KEY },
      Handler: `index.${handler}`,
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Timeout: 10,
      ...properties,
    },
  };
}

export const FIXTURE_TABLE = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  },
} satisfies { Type: string; Properties: ResolvedResource<'AWS::DynamoDB::Table'>['properties'] };
