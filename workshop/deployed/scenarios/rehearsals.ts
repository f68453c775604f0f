import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { TABLE } from '#shared/config/table.ts';
import { steer } from '#test/support/steer.ts';
import { ACCOUNT, REGION } from '../account.ts';
import type { Aws } from '../aws.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { pollAll, runSchedules } from '../notifiers/notifier.ts';
import { openAccount } from '../open-account.ts';
import type { Report } from '../report.ts';
import { DeployedStack } from '../stage.ts';
import { buildChanged } from '../world/changed.ts';
import {
  buildConnection,
  buildWebhook,
  EVERYTHING_PROPS,
  EVERYTHING_STACK,
  secretOf,
} from '../world/everything.ts';
import { createSecrets, SIGNING_SECRET } from '../world/world.ts';
import { expectEqual, expectNoGaps, expectSame, parseEvent } from './expectations.ts';
import { runLife } from './life.ts';
import {
  ALL,
  BASELINE,
  connectCommands,
  type Life,
  liveOn,
  liveOutDay,
  redeploy,
  startAnew,
} from './living.ts';
import { checkKnown, findChanged, foldEvents, readSources } from './subscriber.ts';

const CONNECTION = 'main';
const WEBHOOK = 'payroll-system';
const NEW_SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'rotated').toString('base64')}`;
/** Less than a function keeps the token of a source, and more. */
const [SOON, LATER] = [5, 35];
const UNAUTHORISED = 401;

/** What an operator does rarely, as the documents say. */
export async function runRehearsals(report: Report, life: Life): Promise<void> {
  await report.run('rotate a token', () => rotateToken(life));
  await report.run('rotate a signing secret', () => rotateSigningSecret(life));
  await runLife(report, life);
  await report.run('restore the table', () => restore(life));
  await report.run('move to another account', () => move(life));
}

/** First with the old one revoked too early, then in the order of `docs/operating.md`: nothing is refused that arrives. */
async function rotateToken(life: Life): Promise<string> {
  const { companies, sourceOf } = life.world;
  const source = sourceOf(CONNECTION);
  const { token: first, tokens } = source;
  const since = companies.now();
  const second = `${first}-rotated`;
  const poll = async (minutes: number) => {
    await companies.advance(minutes);
    await steer(source, 'requests', { method: 'DELETE' });
    // Throws unless each poll is complete.
    await pollAll(life.deployed);
    const requests = (await (await steer(source, 'requests')).json()) as { status: number }[];
    if (requests.length === 0) throw new Error('nothing was requested');
    return requests.filter(({ status }) => status === UNAUTHORISED).length;
  };
  tokens.accept(second);
  tokens.revoke(first);
  await putSecret(life, secretOf(CONNECTION), second);
  const early = await poll(SOON);
  if (early === 0) throw new Error('no function held the old token any more');

  tokens.accept(first);
  await putSecret(life, secretOf(CONNECTION), first);
  expectEqual(await poll(SOON), 0, 'requests refused while both tokens are valid');
  expectEqual(await poll(LATER), 0, 'requests refused after half an hour');
  tokens.revoke(second);
  expectEqual(await poll(SOON), 0, 'requests refused after the old token was revoked');
  await liveOutDay(life, since);
  return `revoked too early: ${early} requests refused, and polls complete; as documented: none refused`;
}

async function rotateSigningSecret(life: Life): Promise<string> {
  const { receiver } = life.world;
  const secretName = secretOf(`webhooks-${WEBHOOK}`);
  const refused = receiver.refused.length;
  const deliver = async () => {
    const command = ['test', '--to', WEBHOOK];
    await connectCommands(life).notifier(command);
    await life.deployed.settle();
    const arrived = (await life.deployed.take()).get(`webhook ${WEBHOOK}`) ?? [];
    expectEqual(arrived.length, 1, 'deliveries');
    expectEqual(receiver.refused.length, refused, 'requests whose signature did not hold');
  };
  const both = { current: NEW_SIGNING_SECRET, previous: SIGNING_SECRET };
  await putSecret(life, secretName, JSON.stringify(both));
  await startAnew(life);
  await deliver();
  receiver.trust(WEBHOOK, NEW_SIGNING_SECRET);
  await deliver();
  await putSecret(life, secretName, NEW_SIGNING_SECRET);
  await startAnew(life);
  await deliver();
  return 'accepted by a receiver with the old secret, by one with the new, and with the new one alone';
}

async function putSecret({ aws }: Life, SecretId: string, SecretString: string): Promise<void> {
  await aws.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
}

const RESTORED = `${EVERYTHING_STACK}-restored`;
const MAX_WAIT_SECONDS = 60;
const A_DAY = 1_440;

/** The table is lost a day after the instant to which it is restored, as `docs/operating.md` says. */
async function restore(life: Life): Promise<string> {
  const { aws, stack, world } = life;
  const connections = buildChanged(world.addresses).connections.map(({ name }) => name);
  const atInstant = readSources(world, connections);
  await restoreTable(aws, await stack.tableName());
  // What the restored table does not know: the old one lives on.
  const lost = findRecords((await liveOn(life, [A_DAY])).get(ALL) ?? []);
  if (lost.size === 0) throw new Error('nothing happened on the day that is lost');

  life.config = world.writeConfig('restored', buildChanged(world.addresses));
  const props = { ...EVERYTHING_PROPS, existingTable: RESTORED };
  await stack.synth({ as: 'restored', config: life.config, props });
  await redeploy(life);
  const restoredAt = new Date(world.companies.now()).toISOString();
  for (const minutes of [1, 60]) {
    await world.companies.advance(minutes);
    await runSchedules(life.deployed);
  }
  const sources = readSources(world, connections);
  const now = (await liveOn(life, [])).get(ALL) ?? [];

  const events = now.map(parseEvent);
  expectEqual(events.filter(({ type }) => type === BASELINE).length, 0, 'baselines of the restored table');
  const earlier = events.filter(({ subject, epoch = '' }) => subject !== '' && epoch <= restoredAt);
  expectEqual(earlier.length, 0, 'events of epochs before the restored table');
  const all = life.arrived.get(ALL) ?? [];
  expectNoGaps(all, 'all events');
  const again = findRecords(now);
  const untold = [...lost].filter((record) => !again.has(record));
  expectEqual(untold.length, 0, 'records whose lost changes were not told again');
  const changed = findChanged(atInstant, sources);
  checkKnown([...new Set([...changed, ...again])], foldEvents(all), sources);
  return `${lost.size} records that changed on the lost day are told again, ${again.size} in new epochs; ${changed.length} that changed are known as they are`;
}

function findRecords(texts: readonly string[]): ReadonlySet<string> {
  const events = texts.map(parseEvent).filter(({ subject }) => subject !== '');
  return new Set(events.map(({ source, subject }) => `${source}/${subject}`));
}

/** The commands of the document. */
async function restoreTable({ dynamoDb }: Aws, SourceTableName: string): Promise<void> {
  const TableName = RESTORED;
  await dynamoDb.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName,
      TargetTableName: TableName,
      UseLatestRestorableTime: true,
    }),
  );
  await waitUntilTableExists({ client: dynamoDb, maxWaitTime: MAX_WAIT_SECONDS }, { TableName });
  await dynamoDb.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: TABLE.timeToLive },
    }),
  );
  await dynamoDb.send(
    new UpdateContinuousBackupsCommand({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  await dynamoDb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName }));
  expectEqual(Table?.DeletionProtectionEnabled, true, 'protection of the restored table');
  const life = await dynamoDb.send(new DescribeTimeToLiveCommand({ TableName }));
  expectEqual(life.TimeToLiveDescription?.AttributeName, TABLE.timeToLive, 'expiry of the restored table');
  const { ContinuousBackupsDescription: backups } = await dynamoDb.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { PointInTimeRecoveryStatus } = backups?.PointInTimeRecoveryDescription ?? {};
  expectEqual(PointInTimeRecoveryStatus, 'ENABLED', 'point-in-time recovery of the restored table');
}

const STACK = 'moved';

/** There is a working day in it, whenever it begins. */
const THREE_DAYS = 3 * 1_440;
const SECOND = 1 / 60;

/** The notifier moves to another account while the old one runs, as `docs/deploying.md` says. */
async function move(old: Life): Promise<string> {
  const moved = await deployThere(old);
  const { companies, addresses, receiver } = old.world;
  // At the same instant, so that the next hour is the same for both.
  await runSchedules(old.deployed);
  await old.deployed.take();
  await runSchedules(moved.deployed);
  const first = await moved.deployed.take();
  const baselines = (first.get(ALL) ?? []).map(parseEvent).map(({ type }) => type);
  expectSame(baselines, [BASELINE], 'what the new stack tells at first');
  expectEqual(baselines.length, 2, 'baselines, one for each feed');

  // Both poll: the same changes, by other ids.
  await companies.advance(THREE_DAYS);
  await runSchedules(old.deployed);
  // By a clock that stands still, both would find a new record in the same millisecond.
  await companies.advance(SECOND);
  await runSchedules(moved.deployed);
  const here = ofConnection((await old.deployed.take()).get(ALL));
  const there = ofConnection((await moved.deployed.take()).get(ALL));
  if (there.length === 0) throw new Error('nothing happened in three days');
  expectSame(there.map(describeChange), here.map(describeChange), 'changes told by both stacks');
  const ids = new Set(here.map((text) => parseEvent(text).id));
  expectEqual(there.filter((text) => ids.has(parseEvent(text).id)).length, 0, 'ids that both stacks give');

  // The receiver is pointed to the new stack, and gets what came before.
  const topics = ['timesheets', 'pay-periods'] as const;
  const webhooks = [{ ...buildWebhook(WEBHOOK, addresses), topics: [...topics] }];
  moved.config = old.world.writeConfig('moved', { ...buildMoved(moved), webhooks });
  receiver.trust(WEBHOOK, SIGNING_SECRET);
  await createSecrets(moved.aws, { ...moved.world, secrets: new Map() }, { ...buildMoved(moved), webhooks });
  await moved.stack.synth({ as: 'connected', config: moved.config });
  await moved.stack.deploy();
  await startAnew(moved);
  await sendAgain(moved);
  const got = (await moved.deployed.take()).get(`webhook ${WEBHOOK}`) ?? [];
  expectSame(got, there, 'what is sent again to the webhook');

  await old.stack.destroy();
  const later = (await liveOn(moved, [THREE_DAYS])).get(ALL) ?? [];
  if (later.length === 0) throw new Error('nothing is told after the old stack is gone');
  expectSame(moved.arrived.get(`webhook ${WEBHOOK}`) ?? [], ofConnection(later), 'what the webhook gets');
  return `${there.length} changes told by both, by other ids; ${got.length} sent again to a webhook, ${later.length} after the old stack is gone`;
}

/** A second emulator, with secrets, bootstrap and a stack of one connection. */
async function deployThere(old: Life): Promise<Life> {
  const { world } = old;
  const { aws, running } = await openAccount('moved');
  old.running.push(...running);
  await aws.commands.cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
  const stack = new DeployedStack(aws, STACK);
  const scene = { aws, world, stack, running: old.running };
  const config = world.writeConfig('moved-at-first', buildMoved(scene));
  await createSecrets(aws, world, buildMoved(scene));
  await stack.synth({ as: 'moved', config });
  await stack.deploy();
  const queues: string[] = [];
  const deployed = await startDeployedNotifier({ scene, queues });
  return { ...scene, config, queues, deployed, arrived: new Map() };
}

function buildMoved({ world }: Pick<Life, 'world'>) {
  return { stackName: STACK, connections: [buildConnection(CONNECTION, world.addresses)] };
}

async function sendAgain(moved: Life): Promise<void> {
  // What is logged from now on is left out.
  await moved.world.companies.advance(1);
  const args = ['send', '--events', '--since', '4d', '--to', WEBHOOK, '--yes'];
  await connectCommands(moved).notifier(args);
  await moved.deployed.settle();
}

function ofConnection(texts: readonly string[] = []): readonly string[] {
  return texts.filter((text) => {
    const { connection, type } = parseEvent(text);
    return connection === CONNECTION && /^workforce\.(?:timesheet|pay_period)\./.test(type);
  });
}

/**
 * What an event says of the source, without what each stack counts by itself: ids, epochs, instants of its reads. The
 * old stack has a restored table, and the first events of a new epoch name details that did not change.
 */
function describeChange(text: string): string {
  const { type, subject, data } = JSON.parse(text) as Readonly<{ type: string; subject: string; data: Data }>;
  const { current, previous, changed, late } = data;
  const isWhole = current === null || changed.includes('details');
  const shown = isWhole ? current : { ...current, details: undefined };
  return JSON.stringify([type, subject, shown, previous, changed, late]);
}

interface Data {
  readonly current: Readonly<Record<string, unknown>> | null;
  readonly changed: readonly string[];
  readonly previous: unknown;
  readonly late: unknown;
}
