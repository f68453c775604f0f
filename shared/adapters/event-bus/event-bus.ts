import {
  DescribeEventBusCommand,
  type EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { type BusEntry, exceedsRequest } from '#shared/event-bus/bus-entry.ts';
import type { BusAnswer, EventBus } from '#shared/event-bus/flow/deliver-to-bus.ts';

/**
 * How long a bus that was found counts as there. Nothing is lost in this time when somebody deletes it: AWS deletes
 * only a bus without rules and archives, which routed nothing any more.
 */
const FOUND_MS = 60_000;

/** Refusals that may pass in a moment. */
const PASSING = new Set(['InternalException', 'InternalFailure', 'ThrottlingException', 'Throttling']);
/** Codes of an entry that are due to the event itself. */
const BAD_ENTRY = new Set(['MalformedDetail']);
/** What EventBridge answers to a whole request when it is too large. */
const INVALID_REQUEST = 'ValidationException';

export interface EventBusOptions {
  readonly client: EventBridgeClient;
  /** Name of the bus, or its ARN. */
  readonly bus: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A bus of EventBridge. It is looked up before events are put, because EventBridge answers that it took what was put on
 * a bus that does not exist, and drops it.
 */
export function createEventBus(options: EventBusOptions): EventBus {
  const { client, bus, now } = options;
  let foundUntil = 0;
  const findBus = async (): Promise<BusAnswer | null> => {
    if (stillLasts(foundUntil, now(), FOUND_MS)) return null;
    try {
      await client.send(new DescribeEventBusCommand({ Name: bus }));
      foundUntil = now() + FOUND_MS;
      return null;
    } catch (cause) {
      return isNamed(cause, 'ResourceNotFoundException')
        ? { outcome: 'unavailable', reason: 'bus_missing' }
        : toAnswer(cause);
    }
  };
  return {
    put: async (entries) => {
      const obstacle = await findBus();
      return obstacle === null ? await put(entries, options) : entries.map(() => obstacle);
    },
  };
}

async function put(entries: readonly BusEntry[], options: EventBusOptions): Promise<readonly BusAnswer[]> {
  const { client, bus } = options;
  try {
    const { Entries: answers = [] } = await client.send(
      new PutEventsCommand({ Entries: entries.map((entry) => toRequestEntry(entry, bus)) }),
    );
    return entries.map((_, index) => readAnswer(answers[index]));
  } catch (cause) {
    if (!isNamed(cause, INVALID_REQUEST)) return entries.map(() => toAnswer(cause));
    const [only, ...others] = entries;
    if (only !== undefined && others.length === 0) {
      return [exceedsRequest(only) ? { outcome: 'refused', reason: 'too_large' } : toAnswer(cause)];
    }
    // One entry is to blame; the others are put without it.
    const alone: BusAnswer[] = [];
    for (const entry of entries) alone.push(...(await put([entry], options)));
    return alone;
  }
}

function toRequestEntry({ source, detailType, time, detail, resources }: BusEntry, bus: string) {
  return {
    EventBusName: bus,
    Source: source,
    DetailType: detailType,
    Time: new Date(time),
    Detail: detail,
    ...(resources.length === 0 ? {} : { Resources: [...resources] }),
  };
}

function readAnswer({ EventId, ErrorCode }: PutEventsResultEntry = {}): BusAnswer {
  if (ErrorCode === undefined && EventId !== undefined) return { outcome: 'taken' };
  const reason = ErrorCode ?? 'answer_invalid';
  if (BAD_ENTRY.has(reason)) return { outcome: 'refused', reason };
  return { outcome: PASSING.has(reason) ? 'busy' : 'unavailable', reason };
}

/** What a request that failed as a whole means for each of its entries. */
function toAnswer(cause: unknown): BusAnswer {
  const reason = cause instanceof Error ? cause.name : 'unexpected';
  const isFinal =
    cause instanceof EventBridgeServiceException && cause.$fault === 'client' && !PASSING.has(cause.name);
  return { outcome: isFinal ? 'unavailable' : 'busy', reason };
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof Error && cause.name === name;
}
