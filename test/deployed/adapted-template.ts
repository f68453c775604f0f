import { readFileSync, writeFileSync } from 'node:fs';
import { buildArn } from './account.ts';
import type { AlsoAsks, Emulator } from './emulators/emulator.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/**
 * Changes a template on disk to what the emulator knows: without unknown types, with the actions that only it asks for,
 * and with names where it makes none that fit. Returns what was taken out, as it was. A reference to a schedule group
 * becomes its name or ARN.
 */
export function adaptTemplate(
  file: string,
  { unknownTypes, alsoAsks, nameLimits }: Pick<Emulator, 'unknownTypes' | 'alsoAsks' | 'nameLimits'>,
): Resources {
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Resources };
  const all = Object.entries(template.Resources);
  const unknown = Object.fromEntries(all.filter(([, { Type }]) => unknownTypes.has(Type)));
  const removed = replaceReferences(unknown, unknown) as Resources;
  const kept = all
    .filter(([id]) => removed[id] === undefined)
    .map(([id, resource]) => [
      id,
      { ...resource, ...keepDependencies(resource, removed), ...addName(id, resource, nameLimits) },
    ]);
  const adapted = { ...template, Resources: replaceReferences(Object.fromEntries(kept), removed) };
  writeFileSync(file, JSON.stringify(addActions(adapted, alsoAsks)));
  return removed;
}

function keepDependencies({ DependsOn }: Resource, removed: Resources): Partial<Resource> {
  const names = typeof DependsOn === 'string' ? [DependsOn] : (DependsOn ?? []);
  const kept = names.filter((name) => removed[name] === undefined);
  return DependsOn === undefined ? {} : { DependsOn: kept };
}

function addName(id: string, resource: Resource, limits: Emulator['nameLimits']): Partial<Resource> {
  const limit = limits.get(resource.Type);
  if (limit === undefined) return {};
  return { Properties: { Name: id.slice(-limit), ...resource.Properties } };
}

/** Wherever a statement has an action, it gets what the emulator asks for beside it. */
function addActions(value: unknown, alsoAsks: AlsoAsks): unknown {
  if (Array.isArray(value)) return value.map((item) => addActions(item, alsoAsks));
  if (typeof value !== 'object' || value === null) return value;
  const { Effect, Action } = value as { Effect?: unknown; Action?: string | readonly string[] };
  if (Effect !== undefined && Action !== undefined) {
    const actions = [Action].flat().flatMap((action) => [action, alsoAsks.get(action) ?? []].flat());
    return { ...value, Action: actions };
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, addActions(item, alsoAsks)]));
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
