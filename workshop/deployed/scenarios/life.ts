import { join } from 'node:path';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { makeLaterVersion } from '../later-version.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { pollAll, runSchedules } from '../notifiers/notifier.ts';
import type { Report } from '../report.ts';
import { buildChanged, CHANGED_QUEUES } from '../world/changed.ts';
import { EVERYTHING_PROPS } from '../world/everything.ts';
import { expectEqual, expectNoGaps, expectSame, parseEvent } from './expectations.ts';
import {
  ALL,
  BASELINE,
  connectCommands,
  expectDelivered,
  type Life,
  liveOn,
  readPartition,
  redeploy,
  startAnew,
} from './living.ts';
import { checkKnown, foldEvents, readSources } from './subscriber.ts';

/** What becomes of a deployed stack when its config and its version change, and when it is removed. */
export async function runLife(report: Report, life: Life): Promise<void> {
  const { stack, world } = life;
  const changed = world.writeConfig('changed', buildChanged(world.addresses));
  await report.run('deploy again, unchanged', () => stack.deployUnchanged());
  await report.run('a changed config: synth', () =>
    stack.synth({ as: 'changed', config: changed, props: EVERYTHING_PROPS }),
  );
  await report.run('a changed config', () => changeConfig(life, changed));
  await report.run('a new queue is sent the state of every record', () => startQueue(life));
  await report.run('what a renamed webhook missed', () => sendToRenamed(life));
  await report.run('a later version', () => deployLater(life));
  await report.run('back to this version', () => goBack(life));
  await report.run('destroy', () => stack.destroy());
  await report.run('deploy into the same account again', () => deployAgain(life));
}

/** Deploys with messages in the queues and alerts that wait, and looks what became of them. */
async function changeConfig(life: Life, config: string): Promise<string> {
  const { stack, world } = life;
  await world.companies.advance(60);
  await pollAll(life.deployed);
  stack.use('changed');
  life.config = config;
  life.queues = CHANGED_QUEUES;
  const said = await redeploy(life);
  await life.deployed.settle();
  const now = await liveOn(life, [0, 30, 60]);

  const events = (now.get(ALL) ?? []).map(parseEvent);
  const baselines = events.filter(({ type }) => type === BASELINE).map(({ source }) => source);
  const connections = ['nord', 'west'].flatMap((name) =>
    FEED_NAMES.map((feed) => `/connections/${name}/${feed}`),
  );
  expectSame(baselines, connections, 'new baselines');
  expectNoGaps(life.arrived.get(ALL) ?? [], 'all events');
  await expectDelivered(life, 'main');
  return said;
}

/** Removes nothing that documents do not name: what waited in the queue of `archive` is sent to `vault`. */
async function sendToRenamed(life: Life): Promise<string> {
  await connectCommands(life).notifier(['send', '--events', '--since', '6d', '--to', 'vault', '--yes']);
  await liveOn(life, []);
  const { arrived } = life;
  const ofMain = (place: string) =>
    (arrived.get(place) ?? []).filter((text) => /^\/connections\/main\/.*/.test(parseEvent(text).source));
  const missed = ofMain(ALL).filter((text) => !(arrived.get('webhook archive') ?? []).includes(text));
  const topics = missed.filter((text) =>
    /^workforce\.(?:timesheet|pay_period)\./.test(parseEvent(text).type),
  );
  const got = new Set(ofMain('webhook vault'));
  const lost = topics.filter((text) => !got.has(text));
  if (lost.length > 0) throw new Error(`${lost.length} of ${topics.length} did not come: ${lost[0]}`);
  return `${topics.length} events of main that archive had not got are at vault`;
}

async function deployLater(life: Life): Promise<string> {
  const { aws, stack, world, config } = life;
  const project = makeLaterVersion(join(aws.folder, 'later-version'));
  await stack.synth({ as: 'later', config, props: EVERYTHING_PROPS, project });
  await redeploy(life);
  await liveOn(life, [60, 120]);
  // Left for the version before: messages in queues, and alerts that wait.
  await world.companies.advance(120);
  await pollAll(life.deployed);
  return 'its stored formats hold more than this version knows';
}

async function goBack(life: Life): Promise<string> {
  life.stack.use('changed');
  await redeploy(life);
  await life.deployed.settle();
  const now = await liveOn(life, [60, 60]);
  const events = (now.get(ALL) ?? []).map(parseEvent);
  expectEqual(events.filter(({ type }) => type === BASELINE).length, 0, 'baselines after going back');
  expectNoGaps(life.arrived.get(ALL) ?? [], 'all events');
  await expectDelivered(life, 'main');
  const stored = await readPartition(life, 'alerts#payroll');
  expectEqual(stored.filter((text) => text.includes('waiting#')).length, 0, 'events that wait');
  return `${events.length} events go on without a gap; what the later version left waiting is sent`;
}

async function deployAgain(life: Life): Promise<string> {
  const said = await life.stack.deploy();
  const before = life.arrived.get(ALL) ?? [];
  await startAnew(life);
  const now = await liveOn(life, [0, 120]);
  const events = (now.get(ALL) ?? []).map(parseEvent);
  expectEqual(
    events.filter(({ type }) => type === BASELINE).length,
    3 * FEED_NAMES.length,
    'baselines of three connections',
  );
  const epochs = (texts: readonly string[]) =>
    texts.map(parseEvent).flatMap(({ epoch }) => (epoch === undefined ? [] : [epoch]));
  const [last = ''] = epochs(before).sort().reverse();
  const earlier = epochs(now.get(ALL) ?? []).filter((epoch) => epoch <= last);
  expectEqual(earlier.length, 0, 'events of epochs before the new table');
  return `${said}; every epoch is later than those of the table before`;
}

const SNAPSHOT = 'workforce.timesheet.snapshot';

/** The queue that the changed config adds is sent the state of every record, each once. */
async function startQueue(life: Life): Promise<string> {
  const { deployed, world } = life;
  // A snapshot is of what is stored, and an hour has passed since the last poll.
  await runSchedules(deployed);
  life.arrived = joinArrivals(life.arrived, await deployed.take());
  const sent = await sendState(life);
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
  return `records: ${counts.join(', ')}`;
}

/** What comes to its queue, and nowhere else. */
async function sendState(life: Life): Promise<readonly string[]> {
  const { deployed } = life;
  await connectCommands(life).notifier(['send', '--state', '--to', 'audit', '--yes']);
  await deployed.settle();
  const arrived = await deployed.take();
  const place = `queue ${CHANGED_QUEUES[0]}`;
  const others = [...arrived.keys()].filter((name) => name !== place);
  expectEqual(others.join(), '', 'places that it reaches besides its own');
  return arrived.get(place) ?? [];
}
