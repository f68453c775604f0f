import { readFileSync, writeFileSync } from 'node:fs';
import { ACCOUNT, buildArn, SESSION } from './account.ts';
import type { Adaptations } from './emulators/emulator.ts';

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
export function adaptTemplate(file: string, adaptations: Adaptations): Resources {
  const { unknownTypes, nameLimits } = adaptations;
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
  writeFileSync(file, JSON.stringify(adaptStatements(adapted, adaptations)));
  return removed;
}

function keepDependencies({ DependsOn }: Resource, removed: Resources): Partial<Resource> {
  const names = typeof DependsOn === 'string' ? [DependsOn] : (DependsOn ?? []);
  const kept = names.filter((name) => removed[name] === undefined);
  return DependsOn === undefined ? {} : { DependsOn: kept };
}

function addName(id: string, resource: Resource, limits: Adaptations['nameLimits']): Partial<Resource> {
  const limit = limits.get(resource.Type);
  if (limit === undefined) return {};
  return { Properties: { Name: id.slice(-limit), ...resource.Properties } };
}

interface TemplateStatement {
  readonly Action?: string | readonly string[];
  readonly Condition?: unknown;
}

/** Wherever a statement has an action, it gets what the emulator asks for beside it. */
function adaptStatements(value: unknown, adaptations: Adaptations): unknown {
  if (Array.isArray(value)) return value.map((item) => adaptStatements(item, adaptations));
  if (typeof value !== 'object' || value === null) return value;
  if (!('Effect' in value && 'Action' in value)) {
    const entries = Object.entries(value).map(([name, item]) => [name, adaptStatements(item, adaptations)]);
    return Object.fromEntries(entries);
  }
  const { Action = [], Condition } = value as TemplateStatement;
  const { alsoAsks, sessionIsPrincipal } = adaptations;
  return {
    ...value,
    Action: [Action].flat().flatMap((action) => [action, alsoAsks.get(action) ?? []].flat()),
    ...(Condition !== undefined && sessionIsPrincipal ? { Condition: addSessions(Condition) } : {}),
  };
}

/** Wherever a condition names the ARN of a role as principal, it gets that of the session beside it. */
function addSessions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    if (key !== 'aws:PrincipalArn') return [key, addSessions(item)];
    return [key, [item].flat().flatMap((role) => [role, toSession(role)])];
  });
  return Object.fromEntries(entries);
}

/** Not by `Ref`, which fakecloud takes for the ARN where AWS takes it for the name. */
function toSession(roleArn: unknown): unknown {
  const name = { 'Fn::Select': [1, { 'Fn::Split': ['/', roleArn] }] };
  return { 'Fn::Join': ['', [`arn:aws:sts::${ACCOUNT}:assumed-role/`, name, `/${SESSION}`]] };
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

/**
 * Takes the parameter with the version of the bootstrap out of a template on disk, with the rule that reads it. moto
 * resolves its value a second time when the stack changes, and crashes.
 */
export function dropBootstrapVersion(file: string): void {
  const {
    Parameters: _,
    Rules: __,
    ...rest
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify(rest));
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
