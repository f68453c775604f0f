import { type Company, createCompany } from '#local/source/company/company.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { listSummaryTimes, readAlerting } from '#shared/config/schema/people.ts';
import { toIso, toLocalTime } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { FEED_NAMES, isDirectoryFeed } from '#shared/core/feeds.ts';
import type { ChannelStore } from '#shared/people/flow/channel-store.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { createPeriodReader } from '#shared/people/flow/load-periods.ts';
import { type AlertPorts, type AlertSettings, releaseChannels } from '#shared/people/flow/release-alerts.ts';
import type { Message } from '#shared/people/message.ts';
import { createMemoryChannelStore } from '#test/support/memory-channel-store.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';
import { showCompany } from '#test/support/show-company.ts';
import { FORTNIGHT_CONFIG } from './config.ts';
import { CLOCKING_ENDED } from './page/actions.ts';

/** 08:00 on a Monday in Auckland, which is summer time. The first pay run is on Tuesday. */
const FORTNIGHT_STARTS = Date.parse('2026-11-01T19:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** By day there is a poll a minute. At night, while nothing changes, those between every tenth would see nothing. */
const AWAKE = { from: '05:30', to: '20:30' };
const NIGHT_STEP = 10;
/** Thursday from 14:00 to 14:25. */
const OUTAGE = { from: Date.parse('2026-11-05T01:00:00Z'), to: Date.parse('2026-11-05T01:25:00Z') };
/** Wednesday at 15:20. */
const LATE_CHANGE_AT = Date.parse('2026-11-04T02:20:00Z');
/** On Wednesday at 09:10 a processing in a settled period is undone, and done again at 11:40. */
const UNDONE_AT = Date.parse('2026-11-03T20:10:00Z');
const REDONE_AT = Date.parse('2026-11-03T22:40:00Z');
const OUTAGE_REASON = 'the source is down for a while';

/** A message as it was handed to its channel. */
export interface ToldMessage {
  readonly channel: string;
  readonly message: Message;
  /** Short types of the events that it stands for, each once. */
  readonly types: readonly string[];
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

export interface Fortnight {
  readonly told: readonly ToldMessage[];
  readonly events: readonly PublishedEvent[];
  readonly company: Company;
}

/**
 * Lets the sample company with two calendars live through so many days in virtual time, polls it as the schedules do,
 * and returns all messages to people.
 */
export async function runFortnight(days: number): Promise<Fortnight> {
  const config = parseNotifierConfig(FORTNIGHT_CONFIG);
  const [connection] = config.connections;
  if (connection === undefined) throw new Error('the config has no connection');
  const { timeZone } = connection;
  const company = createCompany({ seed: 7, size: 30, calendars: 2, timeZone, startsAt: FORTNIGHT_STARTS });
  const harness = new PollHarness({
    connection,
    startAt: toIso(FORTNIGHT_STARTS),
    requestMs: 20,
    feeds: FEED_NAMES.map((name) => ({ name, silent: isDirectoryFeed(name) })),
  });
  harness.onPage = () => (isOut(harness.now) ? new SourceError('source_unreachable', OUTAGE_REASON) : null);
  const showChanges = showCompany(company, harness);
  const people = openPeople(harness, config);
  const summaries = listSummaryTimes(config.people);
  showChanges();
  await harness.pollNow({ all: true, summaries });
  for (let minute = 1; minute <= days * DAY_MINUTES; minute += 1) {
    const now = FORTNIGHT_STARTS + minute * MINUTE_MS;
    company.advanceTo(now);
    if (now === LATE_CHANGE_AT) changeLate(company);
    if (now === UNDONE_AT) company.apply({ change: 'revert-processing', id: findPaid(company, 1) });
    if (now === REDONE_AT) company.apply({ change: 'process', id: findPaid(company, 1) });
    const hasChanged = showChanges();
    const isDue = isAwake(now, timeZone) || minute % NIGHT_STEP === 0;
    harness.now = now;
    if (hasChanged || isDue) await harness.pollNow({ summaries });
    await people.tell();
  }
  return { told: people.told, events: harness.published, company };
}

function isOut(now: number): boolean {
  return OUTAGE.from <= now && now < OUTAGE.to;
}

/** An hour more on a timesheet that is paid already, in a period that is settled. */
function changeLate(company: Company): void {
  const id = findPaid(company, 0);
  company.apply({ change: 'change', id, hours: (company.timesheet(id)?.hoursToPay ?? 0) + 1 });
}

/** One of the timesheets, in their order, of the period that closed last. */
function findPaid(company: Company, place: number): string {
  const closed = company.payPeriods().filter((period) => period.closed !== null);
  const [period] = closed.toSorted((a, b) => (a.finishDate < b.finishDate ? 1 : -1));
  const paid = period === undefined ? [] : company.members(period);
  const found = paid.filter(({ includesLeave }) => !includesLeave)[place];
  if (found === undefined) throw new Error('nobody is paid yet');
  return found.id;
}

function isAwake(now: number, timeZone: string): boolean {
  const time = toLocalTime(now, timeZone);
  return AWAKE.from <= time && time < AWAKE.to;
}

function openPeople(harness: PollHarness, config: ReturnType<typeof parseNotifierConfig>) {
  const told: ToldMessage[] = [];
  let collected = 0;
  const settings: AlertSettings = { alerting: readAlerting(config), retentionDays: 90 };
  const memory = createMemoryChannelStore(createMemoryDeliveryStore());
  const channelStore: ChannelStore = {
    ...memory,
    finish: async (channel, sealed, times) => {
      await memory.finish(channel, sealed, times);
      const { message, eventIds } = sealed;
      if (message === null) return;
      const types = new Set(eventIds.map((id) => typeOf(harness, id)));
      told.push({ channel, message, types: [...types].sort(), at: harness.now });
    },
  };
  const ports: AlertPorts = {
    channelStore,
    names: createNameReader(harness.store),
    periods: createPeriodReader(harness.store),
    sender: { send: () => Promise.resolve() },
    clock: { now: () => harness.now },
    telemetry: { report: () => {} },
  };
  return {
    told,
    /** Collects the new events, and releases what is due. */
    tell: async () => {
      const messages = harness.texts.slice(collected).map((body, index) => ({
        id: String(collected + index),
        body,
        attributes: {},
      }));
      collected = harness.texts.length;
      if (messages.length > 0) {
        const { failed } = await collectAlerts(messages, settings, ports);
        if (failed.length > 0) throw new Error(`${failed.length} messages could not be collected`);
      }
      await releaseChannels(settings.alerting.channels, { scope: 'due', settings, ports });
    },
  };
}

function typeOf({ published }: PollHarness, id: string): string {
  const event = published.find((each) => each.id === id);
  const { clockInMissing, clockOutMissing } = (event?.data.previous ?? {}) as Record<string, unknown>;
  if ((clockInMissing ?? clockOutMissing) != null) return CLOCKING_ENDED;
  return event?.type.replace('workforce.', '') ?? '';
}
