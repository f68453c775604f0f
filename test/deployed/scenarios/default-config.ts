import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import type { Report } from '../report.ts';
import type { Stack } from '../stage.ts';
import type { Scene } from './scene.ts';

/** A log group of this name stands in the way of the first deployment. */
const OBSTACLE = '/aws/lambda/workforce-notifier-poll-timesheets';

/** The config that the project comes with: a deployment that fails half way, and is tried again. */
export async function runDefaultConfig(report: Report, { aws }: Scene, stack: Stack): Promise<void> {
  await report.run('the default config: synth', () => stack.synth({ as: 'default', checked: true }));
  await report.run('a deploy that fails half way', async () => {
    await aws.api.json('logs', 'Logs_20140328.CreateLogGroup', { logGroupName: OBSTACLE });
    const failed = await stack.deploy().then(
      () => false,
      () => true,
    );
    if (!failed) throw new Error('it did not fail');
    const list = new ListQueuesCommand({ QueueNamePrefix: stack.name });
    const { QueueUrls = [] } = await aws.sqs.send(list);
    if (QueueUrls.length === 0) throw new Error('it failed before it made anything');
    return `a log group was there already; ${QueueUrls.length} queues were made before that`;
  });
  await report.run('the same deploy again', async () => {
    await aws.api.json('logs', 'Logs_20140328.DeleteLogGroup', { logGroupName: OBSTACLE });
    // What a rollback does, which the emulator leaves out.
    await stack.destroy();
    return await stack.deploy();
  });
}

/** After all that happened to the stack beside it. */
export async function leaveDefaultConfig(report: Report, stack: Stack): Promise<void> {
  await report.run('the default stack is as it was', stack.deployUnchanged);
  await report.run('destroy the default stack', stack.destroy);
}
