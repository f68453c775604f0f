import {
  CONNECTION,
  EVERYTHING,
  type Given,
  type Resource,
  type Synthesized,
  synthesize,
} from './synthesized.ts';

/** A stack with its alarms. */
export interface AlarmStack extends Synthesized {
  readonly alarms: readonly Resource[];
  /** Properties of the alarm at a path. */
  alarm(path: string): Record<string, unknown>;
}

/** The stack of two connections, `main` and `north`, with alerts and what else a config sets. */
export function synthesizeAlarms(config: Given = {}): AlarmStack {
  const built = synthesize({
    connections: [CONNECTION, { ...CONNECTION, name: 'north' }],
    people: EVERYTHING.people,
    ...config,
  });
  return {
    ...built,
    alarms: built.ofType('AWS::CloudWatch::Alarm'),
    alarm: (path) => built.at(path).properties,
  };
}

/** Dimensions as a template lists them. */
export function toDimensions(dimensions: Record<string, unknown>): { Name: string; Value: unknown }[] {
  return Object.keys(dimensions)
    .sort()
    .map((name) => ({ Name: name, Value: dimensions[name] }));
}
