import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { CONFIGS, type Given, type Resource, synthesize } from './synthesized.ts';

/**
 * The whole template of a config, resource by resource, and what the synthesis warns of. What changes is reviewed as a
 * diff, and written by `vitest -u`; what must hold whatever changes is a rule in the other files.
 */
test.each(Object.entries<Given>(CONFIGS))(
  'the template of the config %j is the one that was reviewed',
  async (name, config) => {
    const { stack, resources, outputs } = synthesize(config);
    const shown = [...resources].sort(byPath).map(showResource);
    const ends = Object.entries(outputs).map(
      ([output, value]) => `output ${output}: ${JSON.stringify(value)}`,
    );
    const warnings = Annotations.fromStack(stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => `warning ${entry.data}`);
    await expect(`${[...shown, ...ends, ...warnings].join('\n\n')}\n`).toMatchFileSnapshot(
      `golden/${name}.txt`,
    );
  },
);

/** With its logical id: CloudFormation replaces a resource that gets another one, with its data. */
function showResource(resource: Resource): string {
  const { logicalId, path, type, properties, deletionPolicy, updateReplacePolicy, dependsOn } = resource;
  const beside = { deletionPolicy, updateReplacePolicy, dependsOn };
  const lines = Object.entries({ ...properties, ...beside })
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `  ${name}: ${showValue(value)}`);
  return [`${path} ${type} ${logicalId}`, ...lines].join('\n');
}

/** Statements of a policy and the like one a line. Digests of code are of no interest here. */
function showValue(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(/[0-9a-f]{64}/g, '<digest>');
  return text.length <= 100 ? text : text.replaceAll('},{', '},\n    {');
}

function byPath(one: Resource, other: Resource): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : one.type < other.type ? -1 : 1;
}
