import { Server } from 'node:net';
import { ChangeMessageVisibilityCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { sqsClient } from './clients.ts';
import type { DataFolder } from './data-folder.ts';
import type { Engine } from './dynamodb-engine.ts';
import { LOCAL_REGION } from './local-account.ts';

const MESSAGING_FOLDER = 'messaging';
/** Zero would be refused by the store behind fauxqs 2.4.1, which then loses the message until its next start. */
const AT_ONCE_SECONDS = 0.001;

/**
 * SNS and SQS with their topics, queues and messages in the data folder. Every change is in the file before it is
 * acknowledged. Messages that an earlier run had received and not deleted are visible again.
 */
export async function startMessaging(folder: DataFolder): Promise<Engine> {
  const server = await onLoopback(() =>
    startFauxqs({
      port: 0,
      logger: false,
      host: 'localhost',
      defaultRegion: LOCAL_REGION,
      dataDir: folder.file(MESSAGING_FOLDER),
    }),
  );
  const endpoint = `http://127.0.0.1:${server.port}`;
  await giveBack(server, endpoint);
  return { endpoint, stop: () => server.stop() };
}

/** No receiver of the earlier run lives, so nothing is in anybody's hands. */
async function giveBack(server: FauxqsServer, endpoint: string): Promise<void> {
  const client = sqsClient(endpoint);
  const { QueueUrls: queues = [] } = await client.send(new ListQueuesCommand({}));
  for (const QueueUrl of queues) {
    const held = server.inspectQueue(QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1))?.messages.inflight ?? [];
    for (const { receiptHandle: ReceiptHandle } of held) {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: AT_ONCE_SECONDS }),
      );
    }
  }
  client.destroy();
}

/** fauxqs listens on every interface of the machine and has no option for it; events are nobody else's business. */
async function onLoopback<T>(start: () => Promise<T>): Promise<T> {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]) {
    const [options, ...rest] = args;
    const bound =
      typeof options === 'object' && options !== null ? { ...options, host: '127.0.0.1' } : options;
    return Reflect.apply(listen, this, [bound, ...rest]) as Server;
  } as typeof listen;
  try {
    return await start();
  } finally {
    Server.prototype.listen = listen;
  }
}
