import config from '#config';
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
import { PollHarness } from '#test/support/poll-harness.ts';
import { showCompany } from '#test/support/show-company.ts';

const [connection] = config.connections;

/**
 * The config of the repository, with its payroll channel and mailbox, a channel of those who run the notifier, and a
 * Teams channel of the managers: what is still to be approved each morning, and who has not clocked in.
 */
const CONFIG = parseNotifierConfig({
  ...config,
  connections: [
    {
      ...connection,
      window: { backDays: 21, forwardDays: 7 },
      absences: { clockInMinutes: 30, clockOutHours: 3 },
    },
  ],
  people: {
    ...config.people,
    channels: [
      ...(config.people?.channels ?? []),
      { name: 'it', kind: 'slack', secretName: 'workforce-notifier/slack/it', for: 'operations' },
      {
        name: 'managers',
        kind: 'teams',
        secretName: 'workforce-notifier/teams/managers',
        tells: ['approvals', 'missing-clockings'],
        quietHours: { from: '20:00', to: '07:00' },
        dailySummary: { at: '08:00' },
      },
    ],
  },
});

/** 08:00 on a Monday in Auckland, which is summer time. The first pay run is on Tuesday. */
const STARTS = Date.parse('2026-11-01T19:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** By day there is a poll a minute. At night, while nothing changes, those between every tenth would see nothing. */
const AWAKE = { from: '05:30', to: '20:30' };
const NIGHT_STEP = 10;
/** On Wednesday at 09:10 a processing in a settled period is undone, and done again at 11:40. */
const UNDONE_AT = Date.parse('2026-11-03T20:10:00Z');
const REDONE_AT = Date.parse('2026-11-03T22:40:00Z');
/** From 14:00 to 14:25. */
const OUTAGE = { from: Date.parse('2026-11-04T01:00:00Z'), to: Date.parse('2026-11-04T01:25:00Z') };
/** At 15:20. */
const LATE_CHANGE_AT = Date.parse('2026-11-04T02:20:00Z');

/** A message as it was handed to its channel. */
export interface ToldMessage {
  readonly channel: string;
  readonly message: Message;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Lets the sample company with two calendars live through so many days in virtual time, polls it as the schedules do,
 * and returns all messages to people.
 */
export async function liveDays(days: number): Promise<readonly ToldMessage[]> {
  const [connection] = CONFIG.connections;
  if (connection === undefined) throw new Error('the config has no connection');
  const { timeZone } = connection;
  const company = createCompany({ seed: 7, size: 30, calendars: 2, timeZone, startsAt: STARTS });
  const harness = new PollHarness({
    connection,
    startAt: toIso(STARTS),
    requestMs: 20,
    feeds: FEED_NAMES.map((name) => ({ name, silent: isDirectoryFeed(name) })),
  });
  harness.onPage = () =>
    isOut(harness.now) ? new SourceError('source_unreachable', 'the source is down for a while') : null;
  const showChanges = showCompany(company, harness);
  const people = openPeople(harness);
  const summaries = listSummaryTimes(CONFIG.people);
  showChanges();
  await harness.pollNow({ all: true, summaries });
  for (let minute = 1; minute <= days * DAY_MINUTES; minute += 1) {
    const now = STARTS + minute * MINUTE_MS;
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
  return people.told;
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

function openPeople(harness: PollHarness) {
  const told: ToldMessage[] = [];
  let collected = 0;
  const settings: AlertSettings = { alerting: readAlerting(CONFIG), retentionDays: 90 };
  const memory = createMemoryChannelStore(createMemoryDeliveryStore());
  const channelStore: ChannelStore = {
    ...memory,
    finish: async (channel, sealed, times) => {
      await memory.finish(channel, sealed, times);
      if (sealed.message !== null) told.push({ channel, message: sealed.message, at: harness.now });
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
