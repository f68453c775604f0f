import { startReceivers } from '../notifiers/notifier.ts';
import { buildChanged, CHANGED_QUEUES } from '../world/changed.ts';
import { expectEqual, parseEvent } from './expectations.ts';
import type { Life } from './living.ts';
import { checkKnown, foldEvents, readSources } from './subscriber.ts';

const SNAPSHOT = 'workforce.timesheet.snapshot';

/** The subscription that the changed config adds has `startWith`: it gets the state of every record, once. */
export async function startSubscription({ deployed, world }: Life): Promise<string> {
  const sent = await takeStarted(deployed);
  const snapshots = sent.filter((text) => parseEvent(text).type === SNAPSHOT);
  expectEqual(snapshots.length, sent.length, 'snapshots among what it got');
  const connections = buildChanged(world.addresses).connections.map(({ name }) => name);
  const counts = connections.map((name) => {
    const own = snapshots.map(parseEvent).filter(({ connection }) => connection === name);
    if (own.length === 0) throw new Error(`it got nothing of ${name}`);
    expectEqual(new Set(own.map(({ subject }) => subject)).size, own.length, `records of ${name}, each once`);
    return `${own.length} of ${name}`;
  });
  const known = foldEvents(snapshots);
  checkKnown([...known.keys()], known, readSources(world, connections));
  expectEqual((await takeStarted(deployed)).length, 0, 'events of a start that is over');
  return `records: ${counts.join(', ')}`;
}

/** What comes to its queue when the schedule runs, and nowhere else. */
async function takeStarted(deployed: Life['deployed']): Promise<readonly string[]> {
  await startReceivers(deployed);
  await deployed.settle();
  const arrived = await deployed.take();
  const place = `queue ${CHANGED_QUEUES[0]}`;
  const others = [...arrived.keys()].filter((name) => name !== place);
  expectEqual(others.join(), '', 'places that a start reaches besides its own');
  return arrived.get(place) ?? [];
}
