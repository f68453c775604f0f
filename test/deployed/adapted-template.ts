import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArn } from './account.ts';

/**
 * Types that moto's CloudFormation does not know. It leaves them out with a warning and fails on a reference to one, so
 * the test takes them out of the template that it deploys. Those that are `applied` are made through the API of their
 * own service instead.
 */
export const UNKNOWN_TYPES: ReadonlyMap<string, 'applied' | 'left out'> = new Map([
  ['AWS::SNS::TopicPolicy', 'applied'],
  ['AWS::SNS::Subscription', 'applied'],
  ['AWS::SQS::QueuePolicy', 'applied'],
  ['AWS::Scheduler::ScheduleGroup', 'applied'],
  ['AWS::Scheduler::Schedule', 'applied'],
  ['AWS::Lambda::EventInvokeConfig', 'left out'],
  ['AWS::CloudWatch::Alarm', 'left out'],
  ['AWS::Logs::MetricFilter', 'left out'],
]);

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/**
 * Takes the unknown types out of the template of an assembly, on disk. Returns what was taken out, as it was. A
 * reference to a schedule group becomes its name or ARN.
 */
export function adaptTemplate(assembly: string, stackName: string): Resources {
  const file = join(assembly, `${stackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources };
  const all = Object.entries(template.Resources);
  const unknown = Object.fromEntries(all.filter(([, { Type }]) => UNKNOWN_TYPES.has(Type)));
  const removed = replaceReferences(unknown, unknown) as Resources;
  const kept = all
    .filter(([id]) => removed[id] === undefined)
    .map(([id, resource]) => [id, { ...resource, ...keepDependencies(resource, removed) }]);
  const adapted = { ...template, Resources: replaceReferences(Object.fromEntries(kept), removed) };
  writeFileSync(file, JSON.stringify(adapted));
  return removed;
}

function keepDependencies({ DependsOn }: Resource, removed: Resources): Partial<Resource> {
  const names = typeof DependsOn === 'string' ? [DependsOn] : (DependsOn ?? []);
  const kept = names.filter((name) => removed[name] === undefined);
  return DependsOn === undefined ? {} : { DependsOn: kept };
}

function replaceReferences(value: unknown, removed: Resources): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, removed));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: string[] };
  const group = removed[ref ?? attribute?.[0] ?? ''];
  if (group?.Type === 'AWS::Scheduler::ScheduleGroup') {
    const name = String(group.Properties?.Name);
    return ref === undefined ? buildArn('scheduler', `schedule-group/${name}`) : name;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceReferences(item, removed)]),
  );
}
