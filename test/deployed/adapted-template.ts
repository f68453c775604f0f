import { readFileSync, writeFileSync } from 'node:fs';
import { buildArn } from './account.ts';
import type { UnknownTypes } from './emulators/emulator.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/**
 * Takes the unknown types out of a template on disk. Returns what was taken out, as it was. A reference to a schedule
 * group becomes its name or ARN.
 */
export function adaptTemplate(file: string, unknownTypes: UnknownTypes): Resources {
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources };
  const all = Object.entries(template.Resources);
  const unknown = Object.fromEntries(all.filter(([, { Type }]) => unknownTypes.has(Type)));
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
