import { expect, test } from 'vitest';
import {
  CONNECTION,
  type Given,
  type Resource,
  synthesize,
  WEBHOOK,
  WITH_EVERY_OPTION,
} from './synthesized.ts';

/**
 * The whole template of a config, resource by resource. What changes is reviewed as a diff, and written by `vitest -u`;
 * what must hold whatever changes is a rule in the other files.
 */
const CONFIGS: readonly (readonly [name: string, config: Given])[] = [
  ['smallest', {}],
  [
    'everything',
    {
      ...WITH_EVERY_OPTION,
      connections: [
        ...(WITH_EVERY_OPTION.connections ?? []),
        { ...CONNECTION, name: 'north', secretName: 'ssm:/secrets/notifier/north' },
      ],
      people: {
        names: ['departments'],
        channels: [
          ...(WITH_EVERY_OPTION.people?.channels ?? []),
          { name: 'board', kind: 'teams', secretName: 'notifier/teams/board' },
          { name: 'night', kind: 'email', addresses: ['Office@acme.example'] },
        ],
      },
      webhooks: [WEBHOOK, { ...WEBHOOK, name: 'paused', paused: true }],
    },
  ],
  [
    'own-key',
    {
      encryption: 'customer-managed',
      queues: [
        {
          name: 'payroll',
          topics: ['timesheets', 'pay-periods'],
          filter: { type: ['workforce.timesheet.approved'], organisationId: [7, 'north'], late: true },
        },
        { name: 'archive', topics: ['operations'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:archive' },
      ],
    },
  ],
];

test.each(CONFIGS)('the template of the config %j is the one that was reviewed', async (name, config) => {
  const { resources, outputs } = synthesize(config);
  const shown = [...resources].sort(byPath).map(showResource);
  const end = Object.entries(outputs).map(([output, value]) => `output ${output}: ${JSON.stringify(value)}`);
  await expect(`${[...shown, ...end].join('\n\n')}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
});

function showResource(resource: Resource): string {
  const { path, type, properties, deletionPolicy, updateReplacePolicy, dependsOn } = resource;
  const beside = { deletionPolicy, updateReplacePolicy, dependsOn };
  const lines = Object.entries({ ...properties, ...beside })
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `  ${name}: ${showValue(value)}`);
  return [`${path} ${type}`, ...lines].join('\n');
}

/** Statements of a policy and the like one a line. Digests of code are of no interest here. */
function showValue(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(/[0-9a-f]{64}/g, '<digest>');
  return text.length <= 100 ? text : text.replaceAll('},{', '},\n    {');
}

function byPath(one: Resource, other: Resource): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : one.type < other.type ? -1 : 1;
}
