import { readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});

/** The parts of a CloudFormation template that are read. */
export const templateSchema = z.looseObject({
  Resources: z.record(z.string(), resourceSchema),
});
type Template = z.output<typeof templateSchema>;

const manifestSchema = z.looseObject({
  artifacts: z.record(
    z.string(),
    z.looseObject({
      type: z.string(),
      properties: z.looseObject({ templateFile: z.string().optional() }).default({}),
    }),
  ),
});

/**
 * The output of `cdk synth`: the template of the stack, and the folders of its assets. A stack within the stack is left
 * out: it watches, and there is nothing to watch here.
 */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** The folder of the asset with this key in the bucket; the CDK names both after its hash. */
  readonly assetFolder: (objectKey: string) => string;
}

/** Reads a cloud assembly (the folder `cdk.out`). Throws when it does not hold exactly one stack. */
export function readAssembly(folder: string): Assembly {
  const { artifacts } = manifestSchema.parse(readJson(join(folder, 'manifest.json')));
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  const templateFile = stack?.[1].properties.templateFile;
  if (stack === undefined || templateFile === undefined || stacks.length > 1) {
    throw new NotifierError(
      'assembly_unreadable',
      `${folder} holds ${stacks.length} stacks, and one machine runs one of them`,
    );
  }
  return {
    stackName: stack[0],
    template: templateSchema.parse(readJson(join(folder, templateFile))),
    assetFolder: (objectKey) => join(folder, `asset.${parse(objectKey).name}`),
  };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
