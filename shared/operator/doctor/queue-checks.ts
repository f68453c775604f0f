import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describeChapter } from '#shared/config/alarms.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';

const DEAD_LETTERS = '/dead-letters/url';

/** Checks that the queues of the stack exist, what waits in them, and that the dead-letter queues are empty. */
export async function checkQueues(target: Target): Promise<Finding[]> {
  const { parts, sqs } = target;
  const queues = [...parts].filter(([path]) => path.startsWith('queues/') && path.endsWith('/url'));
  return await Promise.all(
    queues.map(([path, queueUrl]) => {
      const isDead = path.endsWith(DEAD_LETTERS);
      const name = path.slice('queues/'.length, -(isDead ? DEAD_LETTERS : '/url').length);
      const about = isDead ? `dead letters of ${name}` : `queue ${name}`;
      return finding(about, async () => {
        const counts = await countMessages(sqs, queueUrl);
        return isDead
          ? judgeDeadLetters(about, counts, adviseOnDeadLetters(name, target))
          : judgeQueue(about, counts, adviseOnRetries(name, target));
      });
    }),
  );
}

interface MessageCounts {
  readonly waiting: number;
  readonly delayed: number;
}

async function countMessages(sqs: SQSClient, QueueUrl: string): Promise<MessageCounts> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesDelayed'],
    }),
  );
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
  };
}

/** How to see why messages of a queue wait for a retry. */
function adviseOnRetries(queue: string, target: Target): string {
  const system = parseQueue(queue);
  const to = system?.kind === 'webhook' ? ['--to', system.name] : [];
  const command = formatCommand(target, 'deliveries', ...to);
  return `their receiver has not accepted them; ${command} shows what it answered`;
}

/** How the receiver of a queue gets what is in its dead-letter queue. */
function adviseOnDeadLetters(queue: string, target: Target): string {
  if (!target.redirects) return describeChapter('dead-letters');
  const system = parseQueue(queue);
  if (system === null) return `${describeChapter('dead-letters')}; npm start cannot redrive them`;
  const { kind, name } = system;
  const command =
    kind === 'webhook'
      ? formatCommand(target, 'deliveries', '--to', name, '--resend')
      : formatCommand(target, 'send', '--events', '--to', name);
  return `send their events again with ${command}`;
}

/** The webhook or queue of the config that a queue of the stack is of; null for the others. */
function parseQueue(queue: string): { readonly kind: string; readonly name: string } | null {
  const [, kind, name] = /^(webhook|queue)-(.+)$/.exec(queue) ?? [];
  return kind === undefined || name === undefined ? null : { kind, name };
}

function judgeQueue(about: string, { waiting, delayed }: MessageCounts, mend: string): Finding {
  if (delayed === 0) return ok(about, `${waiting} waiting`);
  return warning(about, `${waiting} waiting, ${delayed} waiting for a retry`, mend);
}

function judgeDeadLetters(about: string, { waiting }: MessageCounts, mend: string): Finding {
  if (waiting === 0) return ok(about, 'none');
  return wrong(about, waiting === 1 ? '1 message' : `${waiting} messages`, mend);
}
