import type { Aws } from '../aws.ts';
import { createQueue, deleteQueue, listQueues } from '../queues.ts';
import type { Report } from '../report.ts';
import { readStackEvents } from '../stack-events.ts';
import type { Stack } from '../stage.ts';
import type { Scene } from './scene.ts';

/** A queue of this name stands in the way of the first deployment. */
const OBSTACLE = 'workforce-notifier-payroll';

/** The config that the project comes with: a deployment that fails half way, and is tried again. */
export async function runDefaultConfig(report: Report, { aws }: Scene, stack: Stack): Promise<void> {
  await report.run('the default config: synth', () => stack.synth({ as: 'default', checked: true }));
  await report.run('a deploy that fails half way', async () => {
    await createQueue(aws, OBSTACLE);
    const failed = await stack.deploy().then(
      () => false,
      () => true,
    );
    if (!failed) throw new Error('it did not fail');
    const made = Math.max(
      await countCreated(aws, stack.name),
      (await listQueues(aws, stack.name)).length - 1,
    );
    if (made === 0) throw new Error('it failed before it made anything');
    return `a queue was there already; ${made} resources were made before that`;
  });
  await report.run('the same deploy again', async () => {
    await deleteQueue(aws, OBSTACLE);
    // What a rollback does, which the emulator leaves out.
    await stack.destroy();
    return await stack.deploy();
  });
}

/** After all that happened to the stack beside it. */
export async function leaveDefaultConfig(report: Report, stack: Stack): Promise<void> {
  await report.run('the default stack is as it was', () => stack.deployUnchanged());
  await report.run('destroy the default stack', () => stack.destroy());
}

/** By the events of the stack, which one emulator leaves out; the other leaves out the rollback. */
async function countCreated({ api }: Aws, stackName: string): Promise<number> {
  const events = await readStackEvents(api, stackName);
  return events.filter(({ status }) => status === 'CREATE_COMPLETE').length;
}
