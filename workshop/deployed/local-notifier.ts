import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { joinArrivals, openQueues } from './arrivals.ts';
import { type Notifier, type NotifierOptions, readConfig, redirectToReceivers } from './notifier.ts';

/** The notifier as `npm start` runs it, from an assembly as it was synthesized. It goes on with the data of the one before. */
export async function startLocalNotifier(assembly: string, options: NotifierOptions): Promise<Notifier> {
  const folder = await openDataFolder(join(options.folder, 'local-data'));
  const secrets = new Map<string, string>();
  const aws = await startLocalAws({
    folder,
    assembly,
    secrets,
    clock: options.world.clock,
    environment: process.env,
    adapt: (deployment) => {
      const redirection = redirectToReceivers(deployment, options, folder.file(CONFIG_FILE));
      for (const [name, value] of redirection.secrets) secrets.set(name, value);
      return redirection;
    },
  });
  const { deployment, invoke } = aws;
  const takeQueues = await openQueues(aws, { ...deployment, config: readConfig(deployment) });
  return {
    deployment,
    invoke,
    settle: () => waitUntilIdle(aws),
    take: async () => joinArrivals(options.receiving.take(), await takeQueues()),
    stop: async () => {
      await aws.stop();
      folder.release();
    },
  };
}

const CHECK_MS = 25;
/** A function may be between receiving a message and counting it: idle counts when it is seen so often in a row. */
const IDLE_CHECKS = 2;
const MAX_WAIT_MS = 300_000;

async function waitUntilIdle(aws: LocalAws): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (let seen = 0; seen < IDLE_CHECKS; ) {
    if (Date.now() > deadline)
      throw new Error(`messages are left: ${JSON.stringify(aws.backlog(() => true))}`);
    seen = aws.idle(() => true) ? seen + 1 : 0;
    await wait(CHECK_MS);
  }
}
