import { type Company, createCompany } from '#local/source/company/company.ts';
import { alertingSchema, toAlertedConnection } from '#shared/config/schema/alerting.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { ChannelMessage } from '#shared/core/alerts/alert.ts';
import { toIso, toLocalTime } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { AlertSettings } from '#shared/flow/alerts/collection.ts';
import { collectAlerts } from '#shared/flow/collect-alerts.ts';
import { releaseAlerts } from '#shared/flow/release-alerts.ts';
import { createMemoryAlertStore } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import { createMemoryNameStore } from '#test/support/memory-name-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { FORTNIGHT_CONFIG } from './config.ts';
import { recordWorld, type WorldRecord } from './world-record.ts';

/** 08:00 on a Monday in Auckland, which is summer time. The first pay run is on Tuesday. */
export const FORTNIGHT_STARTS = Date.parse('2026-11-01T19:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** At night nothing happens that a poll every ten minutes would show otherwise. */
const AWAKE = { from: '05:30', to: '19:30' };
const NIGHT_MINUTES = 10;
const OUTAGE_REASON = 'the source is down for a while';

/** A message as it was handed to its channel. */
export interface ToldMessage {
  readonly channel: string;
  readonly message: ChannelMessage;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

export interface Fortnight {
  readonly told: readonly ToldMessage[];
  readonly world: WorldRecord;
  readonly company: Company;
  readonly events: number;
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
  const world = recordWorld(company);
  const harness = new PollHarness({ connection, startAt: toIso(FORTNIGHT_STARTS), requestMs: 20 });
  harness.payPeriods = () => company.payPeriods();
  harness.members = (employeeId, periodId) => world.listMembers(employeeId, periodId);
  const people = await openPeople(company, harness, config);
  let hasFailed = false;
  const poll = async (scope: 'due' | 'window') => {
    for (const id of world.takeChanged()) {
      const record = company.timesheet(id);
      if (record === undefined) harness.remove(id);
      else harness.put(record);
    }
    hasFailed = isOut(harness.now);
    harness.onPage = () => (hasFailed ? new SourceError('source_unreachable', OUTAGE_REASON) : null);
    for (const feed of ['pay-periods', 'timesheets'] as const) {
      await harness.poll({ feed, scope, atOnce: true }).catch((error: unknown) => {
        if (!hasFailed) throw error;
      });
    }
    await people.tell();
  };
  await poll('window');
  for (let minute = 1; minute <= days * DAY_MINUTES; minute += 1) {
    const now = FORTNIGHT_STARTS + minute * MINUTE_MS;
    if (!isAwake(now, timeZone) && minute % NIGHT_MINUTES !== 0) continue;
    harness.now = now;
    company.advanceTo(now);
    world.record(now);
    await poll('due');
  }
  return { told: people.told, world, company, events: people.collected() };
}

function isOut(_now: number): boolean {
  return false;
}

function isAwake(now: number, timeZone: string): boolean {
  const time = toLocalTime(now, timeZone);
  return AWAKE.from <= time && time < AWAKE.to;
}

async function openPeople(
  company: Company,
  harness: PollHarness,
  config: ReturnType<typeof parseNotifierConfig>,
) {
  const told: ToldMessage[] = [];
  let collected = 0;
  const directory = createMemoryNameStore(() => harness.now);
  const saveNames = async () => {
    const people = company.staff.map(({ employee: { id, firstNames, lastName } }) => [id, `${firstNames} ${lastName}`] as const);
    const departments = company.premises.workplaces.map(({ department: { id, name } }) => [id, name] as const);
    await directory.save(harness.connection.name, 'employees', new Map(people));
    await directory.save(harness.connection.name, 'departments', new Map(departments));
  };
  await saveNames();
  const connections = config.connections.map(toAlertedConnection);
  const settings: AlertSettings = {
    alerting: alertingSchema.parse({ ...config.alerts, connections }),
    retentionDays: 90,
  };
  const alertStore = createMemoryAlertStore(createMemoryDeliveryLedger());
  const around = { clock: { now: () => harness.now }, telemetry: { report: () => {} } };
  const sender = {
    send: async (channel: string, message: ChannelMessage) => void told.push({ channel, message, at: harness.now }),
  };
  return {
    told,
    collected: () => collected,
    /** Collects the new events, and releases what is due. */
    tell: async () => {
      const messages = harness.texts.slice(collected).map((body, index) => ({
        id: String(collected + index),
        body,
        attributes: {},
      }));
      collected = harness.texts.length;
      if (messages.length > 0) {
        await saveNames();
        const ports = { alertStore, store: harness.store, directory, ...around };
        const { failed } = await collectAlerts(messages, settings, ports);
        if (failed.length > 0) throw new Error(`${failed.length} messages could not be collected`);
      }
      await releaseAlerts({ scope: 'due' }, settings, { alertStore, sender, ...around });
    },
  };
}
