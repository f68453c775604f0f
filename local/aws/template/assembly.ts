import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});

/** The parts of a CloudFormation template that are read. */
export const templateSchema = z.looseObject({
  Parameters: z.record(z.string(), z.looseObject({ Default: z.unknown().optional() })).default({}),
  Resources: z.record(z.string(), resourceSchema),
});
type Template = z.output<typeof templateSchema>;

const manifestSchema = z.looseObject({
  artifacts: z.record(
    z.string(),
    z.looseObject({
      type: z.string(),
      properties: z
        .looseObject({ templateFile: z.string().optional(), file: z.string().optional() })
        .default({}),
    }),
  ),
});

const assetManifestSchema = z.looseObject({
  files: z
    .record(
      z.string(),
      z.looseObject({
        source: z.looseObject({ path: z.string() }),
        destinations: z.record(z.string(), z.looseObject({ objectKey: z.string() })),
      }),
    )
    .default({}),
});

/** The output of `cdk synth`: the template of the stack, with those of stacks within it, and the folders of its assets. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** Absolute folder of the asset with this key in the bucket, or `undefined`. */
  readonly assetFolder: (objectKey: string) => string | undefined;
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
  const assets = new Map<string, string>();
  for (const { type, properties } of Object.values(artifacts)) {
    if (type !== 'cdk:asset-manifest' || properties.file === undefined) continue;
    for (const [key, path] of readAssets(join(folder, properties.file))) assets.set(key, join(folder, path));
  }
  const readNested = (resource: unknown) => {
    // The address in the bucket ends with the key of the asset.
    const address = JSON.stringify(resource);
    const [, file] = [...assets].find(([key]) => address.includes(`/${key}"`)) ?? [];
    if (file !== undefined) return templateSchema.parse(readJson(file));
    throw new NotifierError(
      'assembly_unreadable',
      `${folder} lacks the template of a stack within the stack`,
    );
  };
  return {
    stackName: stack[0],
    template: inlineNestedStacks(templateSchema.parse(readJson(join(folder, templateFile))), readNested),
    assetFolder: (objectKey) => assets.get(objectKey),
  };
}

const nestedSchema = z.looseObject({
  Type: z.literal('AWS::CloudFormation::Stack'),
  Properties: z.looseObject({ Parameters: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
});

/** A template with the resources of the stacks within it, as if they were its own; `read` gives the template of one. */
export function inlineNestedStacks<T extends { readonly Resources: Readonly<Record<string, unknown>> }>(
  template: T,
  read: (resource: unknown) => T,
): T {
  const resources = Object.entries(template.Resources).flatMap(([id, resource]): [string, unknown][] => {
    const nested = nestedSchema.safeParse(resource);
    if (!nested.success) return [[id, resource]];
    const { Parameters } = nested.data.Properties;
    return Object.entries(replaceParameters(read(resource).Resources, Parameters) as object);
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

function replaceParameters(value: unknown, parameters: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceParameters(item, parameters));
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value && Object.hasOwn(parameters, String(value.Ref))) return parameters[String(value.Ref)];
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceParameters(item, parameters)]),
  );
}

function readAssets(file: string): [string, string][] {
  const { files } = assetManifestSchema.parse(readJson(file));
  return Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }): [string, string] => [objectKey, source.path]),
  );
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
