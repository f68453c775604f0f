import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import {
  DEFAULT_STACK_NAME,
  type NotifierConfig,
  type NotifierConfigInput,
  parseNotifierConfig,
} from './notifier-config.ts';

/** A config with several stages: what they share, and for each stage what it has instead. */
export interface NotifierStagesInput extends Partial<NotifierConfigInput> {
  /**
   * By name, such as `test` and `production`. A setting of a stage replaces that of the base, as a whole. Without a
   * `stackName` of its own, a stage has that of the base with its name behind it.
   */
  readonly stages: Readonly<Record<string, Partial<NotifierConfigInput>>>;
}

/** Gives the content of a `notifier.config.ts` with several stages its type. */
export function defineNotifierStages(stages: NotifierStagesInput): NotifierStagesInput {
  return stages;
}

/** A config by the name of its stage; null where it is the only one and has no name. */
export interface StageConfig {
  readonly stage: string | null;
  readonly config: NotifierConfig;
}

const STAGE_NAME = /^[a-z][a-z0-9-]{0,30}$/;
const anyObject = z.record(z.string(), z.unknown());

/**
 * Checks a config, of one stage or of several, and fills in defaults. Throws a `NotifierError` (`config_invalid`) with
 * one line per issue.
 */
export function parseNotifierStages(input: unknown, file = 'notifier.config.ts'): readonly StageConfig[] {
  const { data } = z.looseObject({ stages: z.unknown() }).safeParse(input);
  if (data?.stages === undefined) return [{ stage: null, config: parseNotifierConfig(input, file) }];
  const { stages, ...base } = data;
  const named = anyObject.safeParse(stages);
  if (!named.success || Object.keys(named.data).length === 0) {
    throw refuse(file, 'stages: give an object with a member for each stage, such as { test: { ... } }');
  }
  const configs = Object.entries(named.data).map(([stage, own]) => {
    if (!STAGE_NAME.test(stage)) {
      throw refuse(
        file,
        `stages: a stage is a-z, 0-9 and -, begins with a letter, at most 31 long, got ${JSON.stringify(stage)}`,
      );
    }
    const overrides = anyObject.safeParse(own);
    if (!overrides.success) throw refuse(file, `stages.${stage}: give an object with its settings, or {}`);
    const stackName = `${base.stackName ?? DEFAULT_STACK_NAME}-${stage}`;
    const merged = { ...base, stackName, ...overrides.data };
    return { stage, config: parseNotifierConfig(merged, `${file}: stages.${stage}`) };
  });
  checkStackNames(configs, file);
  return configs;
}

/** Stacks are chosen by their names, wherever they are. */
function checkStackNames(configs: readonly StageConfig[], file: string): void {
  const taken = new Map<string, string | null>();
  for (const { stage, config } of configs) {
    const other = taken.get(config.stackName);
    if (other !== undefined) {
      throw refuse(
        file,
        `stages.${stage}.stackName: ${JSON.stringify(config.stackName)} is the stack of ${other} already; give each stage one of its own, or none`,
      );
    }
    taken.set(config.stackName, stage);
  }
}

/** The config of a stage; without a name, the only one. Throws a `NotifierError` (`stage_unknown`). */
export function chooseStage(configs: readonly StageConfig[], wanted: string | undefined): NotifierConfig {
  const [first] = configs;
  const found = wanted === undefined ? first : configs.find(({ stage }) => stage === wanted);
  if (found !== undefined && (wanted !== undefined || configs.length === 1)) return found.config;
  const names = configs.map(({ stage }) => stage).join(', ');
  const known = first?.stage === null ? 'the config has no stages; leave --stage out' : `use one of ${names}`;
  throw new NotifierError(
    'stage_unknown',
    wanted === undefined
      ? `the config has several stages; name one with --stage or ${STAGE_VARIABLE}: ${names}`
      : `--stage ${wanted}: there is no such stage; ${known}`,
  );
}

/** Environment variable with the name of the stage that is meant, where `--stage` is not given. */
export const STAGE_VARIABLE = 'NOTIFIER_STAGE';

function refuse(file: string, message: string): NotifierError {
  return new NotifierError('config_invalid', `${file}: ${message}`);
}
