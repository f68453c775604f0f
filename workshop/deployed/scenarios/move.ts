import { ACCOUNT, REGION } from '../account.ts';
import { serveInvocations } from '../invoke-endpoint.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { runSchedules } from '../notifiers/notifier.ts';
import { openAccount } from '../open-account.ts';
import type { Report } from '../report.ts';
import { DeployedStack } from '../stage.ts';
import { buildConnection, buildWebhook } from '../world/everything.ts';
import { createSecrets, SIGNING_SECRET } from '../world/world.ts';
import { expectEqual, expectSame, parseEvent } from './expectations.ts';
import { ALL, BASELINE, connectCommands, type Life, liveOn, startAnew } from './living.ts';

const STACK = 'moved';
const CONNECTION = 'main';
const WEBHOOK = 'payroll-system';

/** There is a working day in it, whenever it begins. */
const THREE_DAYS = 3 * 1_440;
const SECOND = 1 / 60;

/** The notifier moves to another account while the old one runs, as `docs/deploying.md` says. */
export async function runMove(report: Report, life: Life): Promise<void> {
  await report.run('move to another account', () => move(life));
}

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
  const topics = ['timesheets', 'clockings', 'pay-periods'] as const;
  const webhooks = [{ ...buildWebhook(WEBHOOK, addresses), topics: [...topics] }];
  moved.config = old.world.writeConfig('moved', { ...buildMoved(moved), webhooks });
  receiver.trust(WEBHOOK, SIGNING_SECRET);
  await createSecrets(moved.aws, { ...moved.world, secrets: new Map() }, { ...buildMoved(moved), webhooks });
  await moved.stack.synth({ as: 'connected', config: moved.config });
  await moved.stack.deploy();
  await startAnew(moved);
  await replay(moved);
  const got = (await moved.deployed.take()).get(`webhook ${WEBHOOK}`) ?? [];
  expectSame(got, there, 'what a replay brings to the webhook');

  await old.stack.destroy();
  const later = (await liveOn(moved, [THREE_DAYS])).get(ALL) ?? [];
  if (later.length === 0) throw new Error('nothing is told after the old stack is gone');
  expectSame(moved.arrived.get(`webhook ${WEBHOOK}`) ?? [], ofConnection(later), 'what the webhook gets');
  return `${there.length} changes told by both, by other ids; ${got.length} replayed to a webhook, ${later.length} after the old stack is gone`;
}

/** A second emulator, with secrets, bootstrap and a stack of one connection. */
async function deployThere(old: Life): Promise<Life> {
  const { world } = old;
  const { emulator, folder } = old.aws;
  const { aws, running } = await openAccount(emulator, `${folder.slice(folder.lastIndexOf('/') + 1)}-moved`);
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

async function replay(moved: Life): Promise<void> {
  // A replay leaves out what is logged from now on.
  await moved.world.companies.advance(1);
  const endpoint = await serveInvocations(moved.deployed.invoke, moved.aws);
  try {
    const args = ['replay', '--since', '4d', '--to', `webhooks/${WEBHOOK}`, '--yes', '--rate', '1000'];
    await connectCommands(moved, endpoint).notifier(args);
  } finally {
    await endpoint.stop();
  }
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
