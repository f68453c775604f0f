import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import shipped from '#config';
import { toVirtualTime, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';

/** A working day, shortly before the first clock-ins. */
const STARTS_AT = Date.parse('2026-11-17T07:45:00+13:00');
const TIME_ZONE = 'Pacific/Auckland';
const MINUTE_MS = 60_000;

/** The sample company, and the time that functions share with it. */
export interface World {
  readonly source: RunningSource;
  /** Of functions. It runs in real time from where the company was moved to last. */
  readonly clock: VirtualClock;
  now(): number;
  /** The instants to which the company was moved, the last one at the end, in milliseconds since 1970. */
  readonly instants: readonly number[];
  advance(minutes: number): void;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const startsAt = { startsAt: STARTS_AT, resumeAt: STARTS_AT };
  const source = await startSource({ ...startsAt, timeZone: TIME_ZONE, calendars: 2, speed: 0 });
  const instants = [STARTS_AT];
  const clock = { startsAtMs: STARTS_AT, anchorMs: Date.now(), speed: 1 };
  return {
    source,
    clock,
    instants,
    now: () => Math.floor(toVirtualTime(clock, Date.now())),
    advance: (minutes) => {
      source.advance(minutes * MINUTE_MS);
      const now = (instants.at(-1) ?? 0) + minutes * MINUTE_MS;
      instants.push(now);
      Object.assign(clock, { startsAtMs: now, anchorMs: Date.now() });
    },
    stop: () => source.close(),
  };
}

/** Fewer dates than are watched by default: the emulator is slow. */
const WINDOW = { backDays: 14, forwardDays: 7 };

/** `notifier.config.ts` as it is shipped, with the address and the zone of the company. Returns the path. */
export function writeFirstConfig(folder: string, { source }: World): string {
  return writeConfig(folder, 'first', buildFirst(source));
}

type Webhook = NonNullable<NotifierConfigInput['webhooks']>[number];

/** Another webhook and another queue, and the first queue taken out. */
export function writeChangedConfig(folder: string, { source }: World): string {
  const { webhooks = [], ...config } = buildFirst(source);
  const archive: Webhook = {
    name: 'archive',
    url: 'https://archive.acme.example/hook',
    secretName: 'ssm:/secrets/workforce-notifier/webhooks/archive',
    topics: ['timesheets', 'pay-periods'],
  };
  return writeConfig(folder, 'changed', {
    ...config,
    webhooks: [...webhooks, archive],
    queues: [{ name: 'planning', topics: ['timesheets', 'pay-periods'] }],
  });
}

function buildFirst({ baseUrl }: RunningSource): NotifierConfigInput {
  const connections = shipped.connections.map((each) => ({
    ...each,
    ...{ baseUrl, timeZone: TIME_ZONE, window: WINDOW },
  }));
  return { ...shipped, connections };
}

function writeConfig(folder: string, name: string, config: NotifierConfigInput): string {
  const file = join(folder, `${name}.config.ts`);
  writeFileSync(file, `export default ${JSON.stringify(config, null, 2)};\n`);
  return file;
}
