import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import type { Commands } from '../command.ts';
import { EVERYTHING_QUEUE, joinArrivals } from '../notifiers/arrivals.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { type Arrivals, type Notifier, releaseAlerts, runSchedules } from '../notifiers/notifier.ts';
import { type Event, expectSame, expectText, parseEvent } from './expectations.ts';
import type { Scene } from './scene.ts';

/** The place where every event arrives. */
export const ALL = `queue ${EVERYTHING_QUEUE}`;
export const BASELINE = 'workforce.baseline.completed';

/** After so long nothing waits for others, which changes of what is about to be paid do for an hour. */
const GATHERED_MINUTES = 61;
const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

/** A deployed notifier that lives on while its operator changes something. */
export interface Life extends Scene {
  /** Path of the config that is deployed. */
  config: string;
  /** Names of queues of the stack and of those that it found. */
  queues: readonly string[];
  /** Everything that arrived since the stack was deployed. */
  arrived: Arrivals;
  deployed: Notifier;
}

/**
 * Lives until it is a day since an instant (ms since 1970), so that what follows begins at the same hour of a working
 * day. Returns what arrived.
 */
export async function liveOutDay(life: Life, since: number): Promise<Arrivals> {
  const passed = (life.world.companies.now() - since) / MINUTE_MS;
  return await liveOn(life, [DAY_MINUTES - passed - GATHERED_MINUTES]);
}

/** Lives on for so many rounds. Returns what arrived in them. */
export async function liveOn(life: Life, rounds: readonly number[]): Promise<Arrivals> {
  let now: Arrivals = new Map();
  for (const minutes of rounds) {
    await life.world.companies.advance(minutes);
    await runSchedules(life.deployed);
    now = joinArrivals(now, await life.deployed.take());
  }
  await life.world.companies.advance(GATHERED_MINUTES);
  await releaseAlerts(life.deployed);
  now = joinArrivals(now, await life.deployed.take());
  life.arrived = joinArrivals(life.arrived, now);
  return now;
}

/** Deploys the assembly in use. Its functions start anew. Returns what the deployment says. */
export async function redeploy(life: Life): Promise<string> {
  await life.deployed.stop();
  const said = await life.stack.deploy();
  await startAnew(life);
  return said;
}

/** Starts the functions as they are deployed now, without anything that they kept in memory. */
export async function startAnew(life: Life): Promise<void> {
  await life.deployed.stop();
  life.deployed = await startDeployedNotifier({ scene: life, queues: life.queues });
}

/** Commands of the operator with the config of the stack, by the clock of the functions. */
export function connectCommands({ aws, world, config }: Pick<Life, 'aws' | 'world' | 'config'>): Commands {
  return aws.commands.with({ environment: { ...world.clock.environment, NOTIFIER_CONFIG: config } });
}

/**
 * What happened in a connection is where the config sends it: every approval in the kept queue and at the kept webhook,
 * every closing with people.
 */
export async function expectDelivered(life: Life, connection: string): Promise<void> {
  const ofType = (place: string, wanted: string) =>
    (life.arrived.get(place) ?? []).filter((text) => {
      const event = parseEvent(text);
      return event.connection === connection && event.type === wanted;
    });
  const approvals = (place: string) => ofType(place, 'workforce.timesheet.approved');
  const all = approvals(ALL);
  if (all.length === 0) throw new Error('nothing was approved');
  expectSame(approvals('queue payroll-inbox'), all, 'approvals in the queue that was found');
  expectSame(approvals('webhook payroll-system'), all, 'approvals at the kept webhook');
  for (const { id } of ofType(ALL, 'workforce.pay_period.closed').map(parseEvent)) {
    for (const destination of ['slack/payroll', 'email/office']) {
      const [delivery = ''] = await readPartition(life, `deliveries#${destination}#${id}`);
      expectText(delivery, 'delivered', `the delivery of ${id} to ${destination}`);
    }
  }
}

export async function readPartition({ aws, stack }: Life, partition: string): Promise<readonly string[]> {
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

/** An approval that arrived. */
export function findApproved(arrived: Arrivals): Event {
  const events = (arrived.get('webhook payroll-system') ?? []).map(parseEvent);
  const event = events.find(({ type }) => type === 'workforce.timesheet.approved');
  if (event === undefined) throw new Error('no timesheet was approved');
  return event;
}
