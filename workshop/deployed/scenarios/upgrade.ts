import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateListSubscriptions } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { OPERATORS_PACKAGE } from '#cli/init/render-config.ts';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { installArchive } from '#test/workshop/packages/foreign-project.ts';
import {
  LATER_MEMBER,
  listLost,
  makeArchives,
  PROGRAM,
  UPGRADES,
  type Version,
} from '#test/workshop/packages/versions.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { pollAll } from '../notifiers/notifier.ts';
import { openAccount } from '../open-account.ts';
import { createQueue, listQueues } from '../queues.ts';
import type { Report } from '../report.ts';
import { DeployedStack } from '../stage.ts';
import {
  type Addresses,
  buildEverything,
  CONNECTIONS,
  EVERYTHING_PROPS,
  EVERYTHING_QUEUES,
  EVERYTHING_STACK,
  FOUND_QUEUE,
} from '../world/everything.ts';
import { createSecrets, startWorld } from '../world/world.ts';
import { expectEqual, expectNoGaps, expectSame, parseEvent } from './expectations.ts';
import { ALL, BASELINE, connectCommands, expectDelivered, type Life, liveOn, redeploy } from './living.ts';
import type { Scene } from './scene.ts';

const CONNECTION = 'main';
/** The last of them begins with a release, if there is one. */
const [FIRST, SECOND] = UPGRADES.at(-1) ?? ['this version', 'a later version'];

/** A project of somebody else, which installs the package from an archive, and the stack that it deploys. */
interface Project {
  readonly folder: string;
  readonly life: Life;
  /** Paths of the archives, by version. */
  readonly archives: ReturnType<typeof makeArchives>;
}

/**
 * A project is deployed with one version of the package, then with the next, then with the first again, in an account of
 * its own. Each goes on with what the one before left in the queues.
 */
export async function runUpgrade(report: Report, { running }: Scene): Promise<void> {
  const projects: Project[] = [];
  await report.run(`a project that installs ${FIRST} from its archive`, async () => {
    const project = await deployFirst(running);
    projects.push(project);
    return await live(project, FIRST, [0, 60, 180]);
  });
  for (const project of projects) {
    await report.run(`it installs ${SECOND}`, () => change(project, SECOND, [60, 120]));
    await report.run(`it goes back to ${FIRST}`, () => change(project, FIRST, [720, 120]));
  }
}

/** In a new account that has what the config names. */
async function deployFirst(running: Scene['running']): Promise<Project> {
  const { aws, running: account } = await openAccount('upgrade');
  const world = await startWorld(aws.folder, CONNECTIONS);
  running.push(...account, world);
  await aws.commands.cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
  const settings = buildConfig(world.addresses);
  await createQueue(aws, FOUND_QUEUE);
  await createSecrets(aws, world, settings);
  const folder = join(aws.folder, 'project');
  const config = writeProject(folder, settings);
  const archives = makeArchives([[FIRST, SECOND]], join(aws.folder, 'versions'));
  const commands = aws.commands.with({ project: folder, program: PROGRAM });
  const stack = new DeployedStack(aws, EVERYTHING_STACK);
  const scene = { aws: { ...aws, commands }, world, running, stack };
  installArchive(OPERATORS_PACKAGE, archives.get(FIRST) ?? '', folder);
  await stack.synth({ as: FIRST, project: folder });
  await stack.deploy();
  const deployed = await startDeployedNotifier({ scene, queues: EVERYTHING_QUEUES });
  const life = { ...scene, config, queues: EVERYTHING_QUEUES, arrived: new Map(), deployed };
  return { folder, archives, life };
}

/** With one connection, which is what all of its subscribers ask for. */
function buildConfig(addresses: Addresses): NotifierConfigInput {
  const { connections, webhooks = [], queues = [], ...rest } = buildEverything(addresses);
  return {
    ...rest,
    connections: connections.filter(({ name }) => name === CONNECTION),
    webhooks: webhooks.filter(({ filter }) => filter?.connection === undefined),
    queues: queues.map(({ filter: _, ...queue }) => queue),
  };
}

/** What `npm create workforce-notifier` writes, as far as it is used here. Returns the path of the config. */
function writeProject(folder: string, settings: NotifierConfigInput): string {
  const config = join(folder, 'notifier.config.ts');
  const { context } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'cdk.json'), 'utf8')) as {
    context: unknown;
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const settingsOfCdk = { app: 'npx --no-install node app.ts', context };
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify(settingsOfCdk));
  writeFileSync(
    config,
    `import { defineNotifierConfig } from '${OPERATORS_PACKAGE}/config';\nexport default defineNotifierConfig(${JSON.stringify(settings)});\n`,
  );
  writeFileSync(
    join(folder, 'app.ts'),
    [
      "import { App } from 'aws-cdk-lib';",
      `import { NotifierStack } from '${OPERATORS_PACKAGE}';`,
      "import config from './notifier.config.ts';",
      `new NotifierStack(new App({ analyticsReporting: false }), { config, ...${JSON.stringify(EVERYTHING_PROPS)} });`,
    ].join('\n'),
  );
  return config;
}

/** Installs another version while messages are in the queues and alerts wait, deploys it, and lives on. */
async function change(project: Project, version: Version, rounds: readonly number[]): Promise<string> {
  const { folder, archives, life } = project;
  const { stack, world } = life;
  await world.companies.advance(60);
  await pollAll(life.deployed);
  const before = await listParts(life);
  const template = readFileSync(join(stack.synthesized(), `${stack.name}.template.json`), 'utf8');
  installArchive(OPERATORS_PACKAGE, archives.get(version) ?? '', folder);
  await stack.synth({ as: version, project: folder });
  const assembly = stack.synthesized();
  const lost = listLost({ folder, before: template, assembly, stackName: stack.name });
  expectSame(lost, [], 'resources that the template replaces or removes');
  await redeploy(life);
  expectSame(await listParts(life), before, 'tables, topics, queues and subscriptions');
  await life.deployed.settle();
  life.arrived = joinArrivals(life.arrived, await life.deployed.take());
  return `${before.length} tables, topics, queues and subscriptions are those of before; ${await live(project, version, rounds)}`;
}

/** Lives on with a version, and compares all that was published so far with what should have been. */
async function live({ life }: Project, version: Version, rounds: readonly number[]): Promise<string> {
  const now = (await liveOn(life, rounds)).get(ALL) ?? [];
  if (now.length === 0) throw new Error(`nothing happened while ${version} was deployed`);
  const later = now.filter((text) => text.includes(`"${LATER_MEMBER}":`));
  expectEqual(
    later.length > 0,
    version === 'a later version',
    'whether a member of the later version is published',
  );
  const all = life.arrived.get(ALL) ?? [];
  const ids = all.map((text) => parseEvent(text).id);
  expectEqual(new Set(ids).size, ids.length, 'events, each once');
  expectNoGaps(all, 'all events');
  const baselines = all.map(parseEvent).filter(({ type }) => type === BASELINE);
  expectEqual(baselines.length, FEED_NAMES.length, 'baselines, one for each feed');
  await expectDelivered(life, CONNECTION);
  const log = await connectCommands(life).notifier(['events', '--since', '30d', '--json']);
  expectSame(log.trim().split('\n'), all, `the log, as ${version} reads it`);
  return `${now.length} events, of ${all.length} none lost and none twice`;
}

/** What must not be made anew, by identifiers that something made anew would not have. */
async function listParts({ aws, stack }: Life): Promise<readonly string[]> {
  const TableName = await stack.tableName();
  const { Table } = await aws.dynamoDb.send(new DescribeTableCommand({ TableName }));
  const queues = (await listQueues(aws, stack.name)).map(async (QueueUrl) => {
    const AttributeNames = ['CreatedTimestamp'] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] });
    const { Attributes } = await aws.sqs.send(command);
    return `${QueueUrl} ${Attributes?.CreatedTimestamp}`;
  });
  // A topic has no time of its own; its subscriptions go with it.
  const subscriptions: string[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: aws.sns }, {})) {
    subscriptions.push(...Subscriptions.map((each) => `${each.TopicArn} ${each.SubscriptionArn}`));
  }
  return [`${TableName} ${Table?.TableId}`, ...(await Promise.all(queues)), ...subscriptions];
}
