import { readFileSync, writeFileSync } from 'node:fs';
import { buildArn } from './account.ts';
import { UNKNOWN_TYPES } from './moto.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/**
 * Changes a template on disk to what the emulator knows: without unknown types. Returns what was taken out, as it was. A
 * reference to a schedule group becomes its name or ARN. The parameter with the version of the bootstrap goes as well, with
 * the rule that reads it: moto resolves its value a second time when the stack changes, and crashes.
 */
export function adaptTemplate(file: string): Resources {
  const { Parameters: _, Rules: __, ...template } = JSON.parse(readFileSync(file, 'utf8')) as Template;
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

interface Template {
  readonly Parameters?: unknown;
  readonly Rules?: unknown;
  readonly Resources: Resources;
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

/** What stays when its stack goes, or when a change takes it out of the template. */
export function findRetained(resources: Resources): Resources {
  return Object.fromEntries(
    Object.entries(resources).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain'),
  );
}

/** Puts resources into a template on disk that does not name them any more, so that they are not removed. */
export function keepResources(file: string, kept: Resources): void {
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources };
  writeFileSync(file, JSON.stringify({ ...template, Resources: { ...kept, ...template.Resources } }));
}
