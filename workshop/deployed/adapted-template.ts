import { readFileSync, writeFileSync } from 'node:fs';

/**
 * What the emulator's CloudFormation leaves out with a warning, while it fails on a reference to one; and event source
 * mappings, whose functions it would run in Docker.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'AWS::SNS::TopicPolicy',
  'AWS::SNS::Subscription',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::Scheduler::Schedule',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  // Alarms and the filters that they count by.
  'AWS::CloudFormation::Stack',
]);

interface Resource {
  readonly Type: string;
  readonly DependsOn?: string | readonly string[];
}

interface Template {
  readonly Parameters?: unknown;
  readonly Rules?: unknown;
  readonly Resources: Readonly<Record<string, Resource>>;
}

/**
 * Takes out of a template on disk what the emulator does not know; references to it become its logical id. The parameter
 * with the version of the bootstrap goes as well, with the rule that reads it: moto resolves its value a second time when
 * the stack changes, and crashes. Returns how many resources are left.
 */
export function adaptTemplate(file: string): number {
  const { Parameters: _, Rules: __, ...template } = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const kept = Object.entries(template.Resources).filter(([, { Type }]) => !LEFT_OUT.has(Type));
  const ids = new Set(kept.map(([id]) => id));
  const isGone = (id: string) => id in template.Resources && !ids.has(id);
  const adapted = kept.map(([id, { DependsOn = [], ...resource }]) => {
    const needed = [DependsOn].flat().filter((each) => ids.has(each));
    return [
      id,
      {
        ...(replaceReferences(resource, isGone) as object),
        ...(needed.length > 0 ? { DependsOn: needed } : {}),
      },
    ];
  });
  writeFileSync(file, JSON.stringify({ ...template, Resources: Object.fromEntries(adapted) }));
  return ids.size;
}

function replaceReferences(value: unknown, isGone: (id: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, isGone));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: string[] };
  const id = ref ?? attribute?.[0];
  if (id !== undefined && isGone(id)) return id;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceReferences(item, isGone)]),
  );
}
