import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type ListenOptions, Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FauxqsServer } from 'fauxqs';
import { refuseWebPages } from '../../loopback-server.ts';
import { LOCAL_REGION } from '../template/local-account.ts';
import { checkDatabase, compactDatabase } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';
import { keepDoor, SERVICES } from './door.ts';
import type { Engine } from './dynamodb-engine.ts';

const MESSAGING_FOLDER = 'messaging';
/** The file that fauxqs 2.4.1 keeps in its data folder, and its table of messages. */
const DATABASE_FILE = 'fauxqs.db';
const MESSAGES_TABLE = 'sqs_messages';
/** How often a message was received stays. */
const NOT_IN_FLIGHT = 'receipt_handle = NULL, visibility_deadline = NULL';
/**
 * `ChangeMessageVisibility` to 0 makes fauxqs 2.4.1 take the message out of those in flight, and then store null as the
 * count of its receptions (`updateMessageReady` of its persistence.js), which its own table refuses: the answer is 500,
 * the message in no queue until a restart, and its FIFO group blocked. Its table stores instead what was meant.
 */
const MENDING = `CREATE TRIGGER IF NOT EXISTS given_back BEFORE UPDATE ON ${MESSAGES_TABLE}
  WHEN NEW.approximate_receive_count IS NULL BEGIN
    UPDATE ${MESSAGES_TABLE} SET ${NOT_IN_FLIGHT} WHERE message_id = OLD.message_id;
    SELECT RAISE(IGNORE);
  END`;

export interface MessagingEngine extends Engine {
  /** The messages of a queue, without receiving them; undefined when there is no such queue. */
  readonly inspectQueue: FauxqsServer['inspectQueue'];
  /** Settles when a message of a queue can be received, or when `signal` aborts. */
  readonly awaitMessages: (queueName: string, signal: AbortSignal) => Promise<void>;
}

/**
 * SNS and SQS with topics, queues and messages in the data folder. Every change is stored before it is acknowledged.
 * Messages that an earlier run received and did not delete become visible again, in their original order.
 */
export async function startMessaging(folder: DataFolder, accessKeyId: string): Promise<MessagingEngine> {
  const dataDir = folder.file(MESSAGING_FOLDER);
  checkDatabase(join(dataDir, DATABASE_FILE));
  restoreVisibility(join(dataDir, DATABASE_FILE));
  // Imported late: it brings a whole web framework, which a command beside a running machine does not need.
  const { startFauxqs } = await import('fauxqs');
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.messaging };
  const start = () =>
    startFauxqs({ port: 0, logger: false, host: 'localhost', defaultRegion: LOCAL_REGION, dataDir });
  const requests = createBell();
  const server = await bindBehindDoor(start, (engine) =>
    keepDoor((incoming, response) => {
      response.once('close', requests.ring);
      engine(incoming, response);
    }, rules),
  );
  mendStore(join(dataDir, DATABASE_FILE));
  const endpoint = `http://127.0.0.1:${server.port}`;
  return {
    endpoint,
    inspectQueue: (name) => server.inspectQueue(name),
    awaitMessages: async (name, signal) => {
      while (!signal.aborted) {
        const waitMs = computeWaitMs(server.inspectQueue(name)?.messages, Date.now());
        if (waitMs <= 0) return;
        await requests.wait(waitMs, signal);
      }
    },
    stop: async () => {
      await server.stop();
      compactDatabase(join(dataDir, DATABASE_FILE));
    },
  };
}

type QueuedMessages = NonNullable<ReturnType<FauxqsServer['inspectQueue']>>['messages'];

/** The longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * How long until a message can be received, unless a request changes the queue. Who waits in fauxqs makes it look 50 times
 * a second.
 */
export function computeWaitMs(messages: QueuedMessages | undefined, now: number): number {
  if (messages === undefined) return MAX_TIMER_MS;
  const { ready, delayed, inflight } = messages;
  // Of a FIFO queue.
  const busyGroups = new Set(inflight.flatMap(({ message }) => message.messageGroupId ?? []));
  if (ready.some(({ messageGroupId: group }) => group === undefined || !busyGroups.has(group))) return 0;
  const deadlines = [
    ...delayed.map(({ delayUntil = now }) => delayUntil),
    ...inflight.map(({ visibilityDeadline }) => visibilityDeadline),
  ];
  return deadlines.reduce((least, deadline) => Math.min(least, deadline - now), MAX_TIMER_MS);
}

/** Wakes all who wait. */
function createBell() {
  const waiting = new Set<() => void>();
  return {
    ring: () => {
      for (const wake of waiting) wake();
    },
    wait: (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, milliseconds);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      }),
  };
}

/**
 * No receiver of the earlier run is alive, so nothing is in flight. Changes the file, because a message made visible by
 * a request goes to the end of its queue, behind later events of its record.
 */
function restoreVisibility(file: string): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (known.get(MESSAGES_TABLE) !== undefined) {
    database.exec(`UPDATE ${MESSAGES_TABLE} SET ${NOT_IN_FLIGHT}`);
  }
  database.close();
}

/** Once fauxqs has made its tables. */
function mendStore(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(MENDING);
  database.close();
}

/**
 * fauxqs listens on all interfaces, asks nobody for a key, and serves an S3 and the messages of queues besides; it has no
 * option to change that.
 */
async function bindBehindDoor<T>(
  start: () => Promise<T>,
  build: (engine: RequestListener) => RequestListener,
): Promise<T> {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function listenBehindDoor(this: Server, ...args: unknown[]) {
    const [options, ...rest] = args;
    // Other servers may be starting meanwhile.
    if (!isOpenToAll(options)) return Reflect.apply(listen, this, args) as Server;
    for (const listener of this.listeners('request') as RequestListener[]) {
      this.off('request', listener);
      this.on('request', refuseWebPages(build(listener)));
    }
    return Reflect.apply(listen, this, [{ ...options, host: '127.0.0.1' }, ...rest]) as Server;
  } as typeof listen;
  try {
    return await start();
  } finally {
    Server.prototype.listen = listen;
  }
}

function isOpenToAll(options: unknown): options is ListenOptions {
  return typeof options === 'object' && options !== null && 'host' in options && options.host === '0.0.0.0';
}
