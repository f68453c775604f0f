import type { Account } from './account.ts';
import { type Arrivals, compareArrivals, joinArrivals, MAX_ROUND_MS, startReceiving } from './arrivals.ts';
import { startDeployedNotifier } from './deployed-notifier.ts';
import { startLocalNotifier } from './local-notifier.ts';
import { type Notifier, poll, releaseAlerts, runSchedules, SIGNING_SECRET } from './notifier.ts';
import type { DeployedStack } from './stack.ts';
import type { World } from './world.ts';

/** The deployed notifier, and that of one machine beside it, which live with the same company. */
export interface Pair {
  /** Starts both with what is deployed. They go on with what those before stored and left in queues. */
  start(deployed: DeployedStack): Promise<void>;
  /** Polls, and leaves what follows to whoever is started next. */
  pollOnly(): Promise<void>;
  /** What arrives of the deployed one alone, once its queues are empty. */
  takeDeployed(): Promise<Arrivals>;
  /** Lives for so many rounds, with minutes before each. Compares what arrived of both, and returns it of the deployed one. */
  live(rounds: readonly number[]): Promise<{ readonly note: string; readonly arrived: Arrivals }>;
  stop(): Promise<void>;
}

/** A reminder waits a minute for others. Here, longer than the polls before it may take in real time. */
const GATHERED_MINUTES = MAX_ROUND_MS / 60_000;

export async function createPair(account: Account, world: World): Promise<Pair> {
  const { folder } = account;
  const [there, here] = [await startReceiving(SIGNING_SECRET), await startReceiving(SIGNING_SECRET)];
  let both: readonly Notifier[] = [];
  const inBoth = async <T>(work: (notifier: Notifier) => Promise<T>) => await Promise.all(both.map(work));
  const stopBoth = async () => {
    await inBoth((notifier) => notifier.stop());
    both = [];
  };
  return {
    start: async (deployed) => {
      await stopBoth();
      both = [await startDeployedNotifier(account, deployed, { folder, world, receiving: there })];
      both = [...both, await startLocalNotifier(deployed.assembly, { folder, world, receiving: here })];
    },
    pollOnly: async () => void (await inBoth((notifier) => poll(notifier, world))),
    takeDeployed: async () => {
      const [deployed] = both;
      await deployed?.settle();
      return (await deployed?.take()) ?? new Map();
    },
    live: async (rounds) => {
      let arrived: readonly Arrivals[] = [new Map(), new Map()];
      const take = async () => {
        const taken = await inBoth((notifier) => notifier.take());
        arrived = arrived.map((earlier, at) => joinArrivals(earlier, taken[at] ?? new Map()));
      };
      for (const minutes of rounds) {
        world.advance(minutes);
        await inBoth((notifier) => runSchedules(notifier, world));
        world.advance(GATHERED_MINUTES);
        await inBoth(releaseAlerts);
        await take();
      }
      const [got = new Map(), wanted = new Map()] = arrived;
      return { note: compareArrivals(got, wanted, world.instants), arrived: got };
    },
    stop: async () => {
      await stopBoth();
      await there.receivers.stop();
      await here.receivers.stop();
    },
  };
}
