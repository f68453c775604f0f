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
import { TABLE } from '#shared/config/table.ts';
import type { Aws } from '../aws.ts';
import { runSchedules } from '../notifiers/notifier.ts';
import type { Report } from '../report.ts';
import { buildChanged } from '../world/changed.ts';
import { EVERYTHING_STACK } from '../world/everything.ts';
import { expectEqual, expectNoGaps, parseEvent } from './expectations.ts';
import { ALL, BASELINE, type Life, liveOn, redeploy } from './living.ts';
import { checkKnown, findChanged, foldEvents, readSources } from './subscriber.ts';

const RESTORED = `${EVERYTHING_STACK}-restored`;
const MAX_WAIT_SECONDS = 60;
const A_DAY = 1_440;

/** The table is lost a day after the instant to which it is restored, as `docs/operating.md` says. */
export async function runRestore(report: Report, life: Life): Promise<void> {
  await report.run('restore the table', () => restore(life));
}

async function restore(life: Life): Promise<string> {
  const { aws, stack, world } = life;
  const connections = buildChanged(world.addresses).connections.map(({ name }) => name);
  const atInstant = readSources(world, connections);
  await restoreTable(aws, await stack.tableName());
  // What the restored table does not know: the old one lives on.
  const lost = findRecords((await liveOn(life, [A_DAY])).get(ALL) ?? []);
  if (lost.size === 0) throw new Error('nothing happened on the day that is lost');

  life.config = world.writeConfig('restored', {
    ...buildChanged(world.addresses),
    existingTable: RESTORED,
  });
  await stack.synth({ as: 'restored', config: life.config });
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
