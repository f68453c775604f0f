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
 * Takes out of a template on disk what the emulator does not know, and what refers to that: the roles of schedules. The
 * parameter with the version of the bootstrap goes as well, with the rule that reads it: moto resolves its value a second
 * time when the stack changes, and crashes. Returns how many resources are left.
 */
export function adaptTemplate(file: string): number {
  const { Parameters: _, Rules: __, ...template } = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const all = Object.entries(template.Resources);
  const known = all.filter(([, { Type }]) => !LEFT_OUT.has(Type));
  const unknownIds = all.filter(([, { Type }]) => LEFT_OUT.has(Type)).map(([id]) => id);
  const kept = known.filter(([, { DependsOn: _, ...resource }]) => {
    const text = JSON.stringify(resource);
    return !unknownIds.some((id) => text.includes(`"${id}"`));
  });
  const ids = new Set(kept.map(([id]) => id));
  const adapted = kept.map(([id, { DependsOn = [], ...resource }]) => {
    const needed = [DependsOn].flat().filter((each) => ids.has(each));
    return [id, needed.length > 0 ? { ...resource, DependsOn: needed } : resource] as const;
  });
  writeFileSync(file, JSON.stringify({ ...template, Resources: Object.fromEntries(adapted) }));
  return ids.size;
}
