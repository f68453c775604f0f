import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { type Alerting, alertingSchema } from '#shared/config/schema/people.ts';
import type { BatchResult, OutcomeLine, QueueMessage } from '#shared/flow/system.ts';
import type { ChannelStore } from '#shared/people/flow/channel-store.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { type AlertPorts, type ChannelSender, releaseChannels } from '#shared/people/flow/release-alerts.ts';
import type { Message } from '#shared/people/message.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { buildEvents, type Event, history, STAMP } from '#test/shared/core/events/history.ts';
import { createChange, timesheet } from '#test/support/builders.ts';
import { createMemoryChannelStore } from '#test/support/memory-channel-store.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';

export const NOW = Date.parse('2026-03-05T01:02:00.000Z');
export const DAY_MS = 86_400_000;
export const PAYROLL = { kind: 'slack', name: 'payroll', secretName: 's' } as const;
export const OFFICE = { kind: 'email', name: 'office', addresses: ['office@acme.example'] } as const;
const CONNECTIONS = [{ name: 'main', timeZone: 'Pacific/Auckland' }];
const PERIOD = { calendar: 'Weekly', startDate: '2026-02-23', finishDate: '2026-03-01' };
const SECOND_MS = 1_000;

/** Everything that collecting and releasing work on, in memory. What tests change is public. */
export class AlertStage {
  readonly lines: OutcomeLine[] = [];
  readonly sent: (Message & { readonly channel: string })[] = [];
  readonly deliveryStore = createMemoryDeliveryStore();
  readonly channelStore: ChannelStore = createMemoryChannelStore(this.deliveryStore);
  readonly sender: ChannelSender = {
    send: async (channel, message) => void this.sent.push({ channel, ...message }),
  };
  readonly alerting: Alerting;
  names: Names | Error = NO_NAMES;
  namesLoaded: string[] = [];
  now = NOW;

  constructor(alerting: object = {}) {
    const given = { connections: CONNECTIONS, channels: [PAYROLL], ...alerting };
    this.alerting = alertingSchema.parse(given);
  }

  get ports(): AlertPorts {
    return {
      channelStore: this.channelStore,
      sender: this.sender,
      names: {
        load: async (connection, kinds) => {
          this.namesLoaded.push(`${connection}: ${kinds.join(', ')}`);
          if (this.names instanceof Error) throw this.names;
          const { names } = this;
          return { ...NO_NAMES, ...Object.fromEntries(kinds.map((kind) => [kind, names[kind]])) };
        },
      },
      periods: { load: async (_, ids) => new Map(ids.map((id) => [id, PERIOD])) },
      clock: { now: () => this.now },
      telemetry: { report: (line) => void this.lines.push(line) },
    };
  }

  get settings() {
    return { alerting: this.alerting, retentionDays: 90 };
  }

  async collect(messages: readonly QueueMessage[], ports: Partial<AlertPorts> = {}): Promise<BatchResult> {
    return await collectAlerts(messages, this.settings, { ...this.ports, ...ports });
  }

  /** An event that a channel was told of so many seconds after the start. */
  async put(seconds: number, values: Partial<WaitingEvent> = {}, channel = 'payroll'): Promise<WaitingEvent> {
    const waiting = waitingFor(approval(), { at: NOW + seconds * SECOND_MS, ...values });
    await this.channelStore.add(channel, [waiting], NOW + DAY_MS);
    return waiting;
  }

  /** What is due so many seconds after the start. */
  async release(
    seconds: number,
    scope: ReleaseRequest['scope'] = 'due',
    ports: Partial<AlertPorts> = {},
  ): Promise<void> {
    this.now = NOW + seconds * SECOND_MS;
    const release = { scope, settings: this.settings, ports: { ...this.ports, ...ports } };
    await releaseChannels(this.alerting.channels, release);
  }

  async waiting(channel = 'payroll'): Promise<readonly WaitingEvent[]> {
    return (await this.channelStore.open(channel, 10_000)).waiting;
  }

  /** What the delivery store says of an event. */
  async detailOf({ id }: WaitingEvent, channel = 'slack/payroll') {
    return (await this.deliveryStore.load(id, channel))?.detail;
  }
}

let messages = 0;

/** An event as the queue brings it. */
export function createMessage(event: object | string): QueueMessage {
  messages += 1;
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return { id: `message-${messages}`, body, attributes: {} };
}

export function waitingFor(event: Event, values: Partial<WaitingEvent> = {}): WaitingEvent {
  return {
    ...{ id: event.id, text: JSON.stringify(event), at: NOW, delay: 'minute', urgent: false },
    ...values,
  };
}

let approvals = 0;

/** The approval of another timesheet, after its pay period closed. */
export function approval(): Event {
  approvals += 1;
  const id = `${approvals}_7`;
  const before = timesheet({ id });
  const [event] = buildEvents(createChange(before, { ...before, approvedHours: STAMP }));
  if (event === undefined) throw new Error('nothing was published');
  return afterClose(event);
}

/** The approval of a timesheet, and its reversal. */
export function undoneApproval(): Event[] {
  return history(timesheet(), timesheet({ approvedHours: STAMP }), timesheet()).map(afterClose);
}

function afterClose(event: Event): Event {
  return { ...event, data: { ...event.data, late: ['close'] } };
}
