import * as z from 'zod';
import type { AlarmChange } from './alarms/alarm-watch.ts';
import type { DailyWork } from './daily-work.ts';
import type { DeliveryCount, DeliveryWatch } from './deliveries.ts';
import type { Incident } from './incidents.ts';
import type { Ledger, Verdict } from './ledger.ts';
import { findHeading, formatMinutes, type Printer } from './printer.ts';
import { listDeadLetters } from './queues.ts';
import type { DrillStage, Minute } from './stage.ts';

/** Simulated minutes after which an alarm that has not sounded is taken as silent, and a machine as not recovered. */
const MAX_BROKEN_MINUTES = 60;
const MAX_RECOVERY_MINUTES = 45;
/** Minutes that a fault lasts longer than the silence of its alarms. */
const AFTER_ALARM_MINUTES = 2;

const MAX_SHOWN_LOSSES = 5;

const pollSchema = z.looseObject({
  outcome: z.literal('poll.completed'),
  feed: z.string(),
  eventsWaiting: z.number().default(0),
});

/** An alarm that sounded, by its heading in the runbook. */
interface Sounded {
  readonly heading: string;
  readonly afterMs: number;
}

/** What an incident showed. Instants in milliseconds since 1970. */
export interface IncidentResult {
  readonly incident: Incident;
  readonly brokenAt: number;
  readonly repairedAt: number;
  readonly sounded: readonly Sounded[];
  /** Until everything was told, sent and quiet; null when that did not happen. */
  readonly recoveryMs: number | null;
  readonly verdict: Verdict;
  readonly deliveries: DeliveryCount;
  /** Events that came twice, and deliveries to webhooks that were made twice. */
  readonly twice: number;
}

export interface Scene {
  readonly stage: DrillStage;
  readonly ledger: Ledger;
  readonly deliveries: DeliveryWatch;
  readonly printer: Printer;
  readonly work: DailyWork;
}

/** Whether everything sounded that must, and nothing was lost, repeated or stuck. */
export function isGood({ incident, sounded, recoveryMs, verdict, twice }: IncidentResult): boolean {
  const headings: readonly string[] = sounded.map(({ heading }) => heading);
  const heard = incident.sounds.every((heading) => headings.includes(heading));
  const needless = incident.sounds.length === 0 && headings.length > 0;
  return heard && !needless && recoveryMs !== null && verdict.untold.length === 0 && twice === 0;
}

/** Breaks something until its alarms sound, repairs it, and waits until nothing waits. */
export async function playIncident(incident: Incident, scene: Scene): Promise<IncidentResult> {
  const { stage, ledger, printer } = scene;
  const player = createPlayer(scene, incident);
  const brokenAt = stage.now();
  const twiceBefore = ledger.twice.length;
  await stage.break(incident.broken(stage));
  printer.line(brokenAt, 'breaks', incident.title);
  await player.playUntil(MAX_BROKEN_MINUTES, (minutes) => {
    const all = incident.sounds.every((heading) => player.soundedAt.has(heading));
    return all && minutes >= incident.minutes;
  });
  await player.playUntil(AFTER_ALARM_MINUTES, () => false);
  printer.line(stage.now(), 'waits', await describeWaiting(scene, { player, brokenAt }));
  await stage.break({});
  const repairedAt = stage.now();
  const repair = await incident.repair?.(stage);
  printer.line(
    repairedAt,
    'repaired',
    repair === undefined || repair === null ? '' : `the operator ${repair}`,
  );
  const recovered = await player.playUntil(incident.recoveryMinutes ?? MAX_RECOVERY_MINUTES, async () => {
    const { untold } = ledger.judge(brokenAt, repairedAt);
    return untold.length === 0 && player.waiting() === 0 && (await isQuiet(scene));
  });
  const verdict = ledger.judge(brokenAt, repairedAt);
  const delivered = scene.deliveries.count(brokenAt, stage.now());
  const recoveryMs = recovered ? stage.now() - repairedAt : null;
  printer.line(stage.now(), recovered ? 'recovered' : 'stuck', describeVerdict(verdict, delivered));
  for (const { at, change, id } of verdict.untold.slice(0, MAX_SHOWN_LOSSES)) {
    printer.line(at, 'not told', `${change} of ${id}`);
  }
  return {
    incident,
    brokenAt,
    repairedAt,
    sounded: [...player.soundedAt].map(([heading, at]) => ({ heading, afterMs: at - brokenAt })),
    recoveryMs,
    verdict,
    deliveries: delivered,
    twice: ledger.twice.length - twiceBefore + delivered.twice,
  };
}

interface Player {
  /** When alarms sounded first, by headings of the runbook. */
  readonly soundedAt: ReadonlyMap<string, number>;
  /** Events in the outbox after the last polls. */
  waiting(): number;
  /** Runs minutes until `done`, which gets their number, or the limit. Returns whether it is done. */
  playUntil(maxMinutes: number, done: (minutes: number) => boolean | Promise<boolean>): Promise<boolean>;
}

/** `corrections`: whether people correct hours meanwhile. */
export function createPlayer(
  { stage, ledger, deliveries, printer, work }: Scene,
  { corrections = false }: Pick<Incident, 'corrections'> = {},
): Player {
  const soundedAt = new Map<string, number>();
  const waiting = new Map<string, number>();
  const show = ({ at, alarms, people, log, delivered }: Minute) => {
    const news = ledger.note(delivered, stage.now());
    deliveries.published(readIds(delivered), at);
    for (const { type, feed } of news) printer.line(at, 'event', `${type} ${feed}`.trimEnd());
    for (const change of alarms) if (change.sounds) note(soundedAt, change, at);
    printer.alarms(at, alarms);
    printer.messages(at, people);
    for (const line of log) {
      readWaiting(line, waiting);
      deliveries.readLine(line);
    }
  };
  return {
    soundedAt,
    waiting: () => [...waiting.values()].reduce((sum, events) => sum + events, 0),
    playUntil: async (maxMinutes, done) => {
      for (let minutes = 1; minutes <= maxMinutes; minutes += 1) {
        work.doSome({ corrections });
        show(await stage.runMinute());
        if (await done(minutes)) return true;
      }
      return false;
    },
  };
}

function note(soundedAt: Map<string, number>, { alarm }: AlarmChange, at: number): void {
  const heading = findHeading(alarm.description) ?? alarm.name;
  if (!soundedAt.has(heading)) soundedAt.set(heading, at);
}

function readWaiting(line: string, waiting: Map<string, number>): void {
  if (!line.includes('poll.completed')) return;
  const parsed = pollSchema.safeParse(JSON.parse(line));
  if (parsed.success) waiting.set(parsed.data.feed, parsed.data.eventsWaiting);
}

async function isQuiet({ stage }: Scene): Promise<boolean> {
  if (stage.sounding().length > 0) return false;
  const { aws } = stage.machine;
  const queues = [...aws.backlog(() => true), ...(await listDeadLetters(aws))];
  return queues.length === 0;
}

async function describeWaiting(
  { stage, ledger }: Scene,
  { player, brokenAt }: { readonly player: Player; readonly brokenAt: number },
): Promise<string> {
  const { aws } = stage.machine;
  const { untold } = ledger.judge(brokenAt, stage.now());
  const queues = [...aws.backlog(() => true), ...(await listDeadLetters(aws))];
  const parts = [
    `${untold.length} changes of the company not told`,
    `${player.waiting()} events in the outbox`,
    ...queues.map(({ queueName, messages }) => `${messages} in ${queueName}`),
  ];
  return parts.join(', ');
}

function describeVerdict(
  { changes, told, unseen, untold, maxDelayMs }: Verdict,
  { delivered, maxDelayMs: maxDeliveryMs }: DeliveryCount,
): string {
  const undone = unseen === 0 ? '' : `, ${unseen} undone before a poll could see them`;
  const lost = untold.length === 0 ? 'none lost' : `${untold.length} not told`;
  const webhooks =
    delivered === 0 ? '' : `; ${delivered} sent to webhooks within ${formatMinutes(maxDeliveryMs)}`;
  return `${changes} changes meanwhile: ${told} told within ${formatMinutes(maxDelayMs)}${undone}, ${lost}${webhooks}`;
}

function readIds(delivered: Minute['delivered']): string[] {
  return delivered.map(({ text }) => (JSON.parse(text) as { readonly id: string }).id);
}
