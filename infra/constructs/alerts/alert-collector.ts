import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { computeRetentionDays, writeAlertingSetting } from '#infra/settings.ts';
import { planConcurrency } from '#shared/config/concurrency.ts';
import { ENVIRONMENT, MESSAGE_ATTRIBUTES, METRICS, REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { findNeededTypes, findTypesNeededOnlyLate } from '#shared/config/schema/alerting.ts';
import type { EventType } from '#shared/core/event-types.ts';
import type { StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import {
  type EventTopics,
  type FilterPolicy,
  subscribeToEvents,
} from '../subscribers/event-subscriptions.ts';

/** Names, and the state that shows whether all timesheets of a pay period are processed. */
const READABLE_PARTITIONS = ['directory', 'pay-periods', 'timesheets#heads'];
const TIMEOUT_SECONDS = 60;
/** Little more than the timeout: an event that is redelivered late would be reported after its own reversal. */
const VISIBILITY_TIMEOUT_SECONDS = 75;
const RETRY_PERIOD_SECONDS = 3_600;

export interface AlertCollectorProps {
  readonly context: StackContext;
  readonly topics: EventTopics;
}

/** Receives the events that rules need, and stores the alerts of each channel. */
export class AlertCollector extends QueueFunction {
  constructor(scope: Construct, id: string, { context, topics }: AlertCollectorProps) {
    const { config, table } = context;
    super(scope, id, {
      context,
      code: 'collect-alerts',
      description: 'Stores alerts of events for the channels of people',
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.alerting]: writeAlertingSetting(config),
        [ENVIRONMENT.retentionDays]: String(computeRetentionDays(config)),
      },
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      maxReceives: RETRY_PERIOD_SECONDS / VISIBILITY_TIMEOUT_SECONDS,
      maxConcurrency: planConcurrency(config).perQueue,
    });
    const connections = config.connections.map(({ name }) => name);
    table.allowUse(
      this.role,
      ['alerts#*', 'deliveries#*', ...connections.map((name) => `${name}#processing`)],
      ['GetItem', 'PutItem', 'UpdateItem'],
    );
    table.allowRead(
      this.role,
      connections.flatMap((name) => READABLE_PARTITIONS.map((part) => `${name}#${part}`)),
    );
    const lateOnly = findTypesNeededOnlyLate(config.alerts);
    const wanted = [...findNeededTypes(config.alerts)].map(
      ([name, types]) => [name, buildTypeFilterPolicy(types, lateOnly)] as const,
    );
    subscribeToEvents(this, {
      topics,
      wanted: new Map(wanted),
      endpoint: this.queue.queueArn,
      deadLetters: this.deadLetters,
    });
    this.queue.allowTopics(wanted.map(([name]) => topics[name]));
    this.addAlarms(context.alarmTopics);
  }

  private addAlarms(alarmTopics: StackContext['alarmTopics']): void {
    this.addQueueAlarms({ deadLetters: 'alerts-dead-letters', late: 'alerts-late', alarmTopics });
    this.addErrorsAlarm({
      alarm: 'alerts-errors',
      metricName: METRICS.collectFaults,
      outcome: 'alerts.collected',
      alarmTopics,
    });
  }
}

/**
 * Events of these types, except replays, of which people heard before. Types that rules need only when they are late
 * are filtered here, since most of their events are in time and need not invoke the function.
 */
function buildTypeFilterPolicy(types: readonly EventType[], lateOnly: ReadonlySet<EventType>): FilterPolicy {
  const { type, late } = MESSAGE_ATTRIBUTES;
  const always = types.filter((each) => !lateOnly.has(each));
  const whenLate = types.filter((each) => lateOnly.has(each));
  const groups: Readonly<Record<string, string[]>>[] = [
    ...(always.length === 0 ? [] : [{ [type]: always }]),
    ...(whenLate.length === 0 ? [] : [{ [type]: whenLate, [late]: ['true'] }]),
  ];
  return {
    ...(groups.length === 1 ? buildAllowlists(groups[0]) : { $or: new SubscriptionFilter(groups) }),
    [REPLAYED_ATTRIBUTE]: SubscriptionFilter.notExistsFilter(),
  };
}

function buildAllowlists(group: Readonly<Record<string, string[]>> = {}): FilterPolicy {
  const filters = Object.entries(group).map(
    ([name, allowlist]) => [name, SubscriptionFilter.stringFilter({ allowlist })] as const,
  );
  return Object.fromEntries(filters);
}
