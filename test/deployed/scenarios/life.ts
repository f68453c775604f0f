import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { serveInvocations } from '../invoke-endpoint.ts';
import { LATER_ALERT_TYPE, makeLaterVersion } from '../later-version.ts';
import { EVERYTHING_QUEUE, joinArrivals } from '../notifiers/arrivals.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import {
  type Arrivals,
  type Notifier,
  pollAll,
  refreshNames,
  releaseAlerts,
  runSchedules,
} from '../notifiers/notifier.ts';
import type { Report } from '../report.ts';
import { buildChanged, CHANGED_QUEUES } from '../world/changed.ts';
import { expectEqual, expectNoGaps, expectSame, expectText, parseEvent } from './expectations.ts';
import type { Scene } from './scene.ts';

const ALL = `queue ${EVERYTHING_QUEUE}`;
const BASELINE = 'workforce.baseline.completed';

/** After so long no alert waits for others. */
const DIGEST_MINUTES = 2;

interface Life extends Scene {
  /** Path of the config that is deployed. */
  readonly config: string;
  /** Everything that arrived since the stack was deployed. */
  arrived: Arrivals;
  deployed: Notifier;
}

/** What becomes of a deployed stack when its config and its version change, and when it is removed. */
export async function runLife(report: Report, life: Life): Promise<void> {
  const { stack, world } = life;
  const changed = world.writeConfig('changed', buildChanged(world.addresses));
  await report.run('deploy again, unchanged', stack.deployUnchanged);
  await report.run('a changed config', () => changeConfig(life, changed));
  await report.run('what a renamed webhook missed', () => replayToRenamed(life, changed));
  await report.run('a later version', () => deployLater(life, changed));
  await report.run('back to this version', () => goBack(life));
  await report.run('destroy', stack.destroy);
  await report.run('deploy into the same account again', () => deployAgain(life));
}

/** Deploys with messages in the queues and alerts that wait, and looks what became of them. */
async function changeConfig(life: Life, config: string): Promise<string> {
  const { stack, world } = life;
  await world.companies.advance(60);
  await pollAll(life.deployed);
  await life.deployed.stop();
  await stack.synth({ as: 'changed', config });
  const said = await stack.deploy();
  life.deployed = await startDeployedNotifier({ scene: life, queues: CHANGED_QUEUES });
  await life.deployed.settle();
  await refreshNames(life.deployed);
  const now = await liveOn(life, [0, 30, 60]);

  const events = (now.get(ALL) ?? []).map(parseEvent);
  const baselines = events.filter(({ type }) => type === BASELINE).map(({ source }) => source);
  const connections = ['nord', 'west'].flatMap((name) =>
    ['pay-periods', 'timesheets'].map((feed) => `/connections/${name}/${feed}`),
  );
  expectSame(baselines, connections, 'new baselines');
  expectNoGaps(life.arrived.get(ALL) ?? [], 'all events');
  await expectDelivered(life, 'main');
  return said;
}

/** Every approval of a connection is where the config sends it: in the kept queue, at the kept webhook, with people. */
async function expectDelivered(life: Life, connection: string): Promise<void> {
  const approvals = (place: string) =>
    (life.arrived.get(place) ?? []).filter((text) => {
      const event = parseEvent(text);
      return event.connection === connection && event.type === 'workforce.timesheet.approved';
    });
  const all = approvals(ALL);
  if (all.length === 0) throw new Error('nothing was approved');
  expectSame(approvals('queue payroll-inbox'), all, 'approvals in the queue that was found');
  expectSame(approvals('webhook payroll-system'), all, 'approvals at the kept webhook');
  for (const { id } of all.map(parseEvent)) {
    const deliveries = await readPartition(life, `deliveries#${id}`);
    for (const destination of ['slack/payroll', 'email/office']) {
      const delivery = deliveries.find((text) => text.includes(destination)) ?? '';
      expectText(delivery, 'delivered', `the delivery of ${id} to ${destination}`);
    }
  }
}

/** Removes nothing that documents do not name: what waited in the queue of `archive` comes to `vault` by a replay. */
async function replayToRenamed(life: Life, config: string): Promise<string> {
  const { aws, world, deployed } = life;
  const endpoint = await serveInvocations(deployed.invoke);
  const environment = {
    ...world.clock.environment,
    NOTIFIER_CONFIG: config,
    AWS_ENDPOINT_URL_LAMBDA: endpoint.url,
  };
  try {
    const args = ['replay', '--since', '6d', '--connection', 'main', '--to', 'webhooks/vault'];
    await aws.commands.with({ environment }).notifier([...args, '--yes', '--rate', '1000']);
  } finally {
    await endpoint.stop();
  }
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

async function deployLater(life: Life, config: string): Promise<string> {
  const { aws, stack, world } = life;
  const project = makeLaterVersion(join(aws.folder, 'later-version'));
  await stack.synth({ as: 'later', config, project });
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
  const alerts = await readPartition(life, 'alerts#payroll');
  const waiting = alerts.filter((text) => text.includes('waiting#'));
  const later = waiting.filter((text) => text.includes(LATER_ALERT_TYPE));
  if (later.length === 0) throw new Error('no alert of the later version waits');
  expectEqual(waiting.length, later.length, 'alerts that wait, all of the later version');
  return `${events.length} events go on without a gap; ${later.length} alerts of an unknown type wait`;
}

async function readPartition({ aws, stack }: Life, partition: string): Promise<readonly string[]> {
  const { Items = [] } = await aws.dynamoDb.send(
    new QueryCommand({
      TableName: await stack.tableName(),
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
      ExpressionAttributeValues: { ':pk': { S: partition } },
    }),
  );
  return Items.map((item) => JSON.stringify(item));
}

async function deployAgain(life: Life): Promise<string> {
  const said = await life.stack.deploy();
  const before = life.arrived.get(ALL) ?? [];
  await redeploy(life, { deploy: false });
  const now = await liveOn(life, [0, 120]);
  const events = (now.get(ALL) ?? []).map(parseEvent);
  expectEqual(events.filter(({ type }) => type === BASELINE).length, 6, 'baselines of three connections');
  const epochs = (texts: readonly string[]) =>
    texts.map(parseEvent).flatMap(({ epoch }) => (epoch === undefined ? [] : [epoch]));
  const [last = ''] = epochs(before).sort().reverse();
  const earlier = epochs(now.get(ALL) ?? []).filter((epoch) => epoch <= last);
  expectEqual(earlier.length, 0, 'events of epochs before the new table');
  return `${said}; every epoch is later than those of the table before`;
}

async function redeploy(life: Life, { deploy = true } = {}): Promise<void> {
  await life.deployed.stop();
  if (deploy) await life.stack.deploy();
  life.deployed = await startDeployedNotifier({ scene: life, queues: CHANGED_QUEUES });
}

/** Lives on for so many rounds. Returns what arrived in them. */
async function liveOn(life: Life, rounds: readonly number[]): Promise<Arrivals> {
  let now: Arrivals = new Map();
  for (const minutes of rounds) {
    await life.world.companies.advance(minutes);
    await runSchedules(life.deployed);
    now = joinArrivals(now, await life.deployed.take());
  }
  await life.world.companies.advance(DIGEST_MINUTES);
  await releaseAlerts(life.deployed);
  now = joinArrivals(now, await life.deployed.take());
  life.arrived = joinArrivals(life.arrived, now);
  return now;
}
