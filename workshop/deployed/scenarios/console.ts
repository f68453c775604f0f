import { toAddress } from '#console/pages/parts.ts';
import {
  earlierOf,
  enter,
  eventsOf,
  readStream,
  rowsOf,
  toText,
  type Visitor,
} from '#test/console/visitor.ts';
import type { Commands } from '../command.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { runSchedules } from '../notifiers/notifier.ts';
import { createConsoleRole } from '../permissions/console-role.ts';
import { expectEqual, expectSame, expectText, parseEvent } from './expectations.ts';
import { ALL, findApproved, type Life } from './living.ts';

const SINCE = '5d';
/** The stream sends its status every few seconds: after so many nothing more is waited for. */
const MAX_MESSAGES = 60;
/** The sample company works in the morning of the next weekday at the latest. */
const MAX_QUIET_HOURS = 72;

type Observed = Pick<Life, 'aws' | 'world' | 'stack' | 'deployed' | 'arrived'>;

/** Somebody at the console, and the commands of the operator beside it. */
interface Viewer {
  readonly visitor: Visitor;
  readonly commands: Commands;
}

/** Every screen of the console against what the commands say, with a role that may only read. */
export async function checkConsole(observed: Observed, commands: Commands): Promise<string> {
  const { aws, stack } = observed;
  const environment = await createConsoleRole(aws, stack.name);
  const viewer = { ...(await openConsole(commands.with({ environment }), ['console'])), commands };
  try {
    return [
      await checkNow(viewer),
      await checkRecord(viewer, observed),
      await checkDeliveries(viewer),
      await checkPeriods(viewer),
      await checkHealth(viewer),
      await checkStream(viewer, observed),
      await checkReadOnly(viewer, observed),
    ].join(', ');
  } finally {
    await viewer.stop();
  }
}

/** With the operator's own credentials and `--allow-writes`, an event is sent to a webhook again. */
export async function checkConsoleWrites(observed: Observed, commands: Commands): Promise<string> {
  const viewer = { ...(await openConsole(commands, ['console', '--allow-writes'])), commands };
  try {
    const event = findApproved(observed.arrived);
    const answer = await resend(viewer, observed);
    expectEqual(answer.status, 303, 'the answer to sending again');
    await observed.deployed.settle();
    const again = (await observed.deployed.take()).get('webhook archive') ?? [];
    expectEqual(again.map((text) => parseEvent(text).id).join(), event.id, 'what the webhook got again');
    return 'one event, to one webhook';
  } finally {
    await viewer.stop();
  }
}

async function openConsole(commands: Commands, args: readonly string[]) {
  const { line, stop } = await commands.start(args);
  const [address = ''] = /http\S+/.exec(line) ?? [];
  return { visitor: await enter(address), stop };
}

async function print({ commands }: Viewer, ...args: string[]): Promise<string[]> {
  return (await commands.notifier(args)).split('\n').filter((line) => line !== '');
}

async function checkNow(viewer: Viewer): Promise<string> {
  const shown: string[] = [];
  for (let path: string | null = 'now?type=*'; path !== null; ) {
    const page = await viewer.visitor.read(path);
    shown.push(...eventsOf(page));
    path = earlierOf(page);
  }
  const events = await print(viewer, 'events', '--since', SINCE, '--json');
  const ids = events.map((text) => parseEvent(text).id);
  expectSame(shown, ids, 'events of the screen Now');
  expectEqual(shown.length, ids.length, 'events, each once');
  return `${shown.length} events`;
}

interface PrintedRecord {
  readonly connection: string;
  readonly chapters: readonly { readonly event: { readonly id: string }; readonly committedAt: string }[];
}

async function findChapters(viewer: Viewer, observed: Observed): Promise<PrintedRecord['chapters']> {
  const { subject, connection } = findApproved(observed.arrived);
  const printed = await viewer.commands.notifier(['events', subject, '--since', SINCE, '--json']);
  const found = JSON.parse(printed) as readonly PrintedRecord[];
  return found.filter((each) => each.connection === connection).flatMap(({ chapters }) => chapters);
}

async function checkRecord(viewer: Viewer, observed: Observed): Promise<string> {
  const { subject, connection } = findApproved(observed.arrived);
  const chapters = await findChapters(viewer, observed);
  const page = await viewer.visitor.read(toAddress(`records/${subject}`, { connection, since: SINCE }));
  const ids = chapters.map(({ event }) => event.id);
  expectEqual(eventsOf(page).toReversed().join(), ids.join(), 'events RECORD --json');
  for (const name of ['archive', 'payroll-system'])
    expectText(toText(page), `${name} accepted`, `whether an event of the record was delivered to ${name}`);
  return `a record of ${chapters.length} as events has it`;
}

async function checkDeliveries(viewer: Viewer): Promise<string> {
  const printed = (await print(viewer, 'deliveries', '--since', SINCE, '--json')).map(
    (text) => JSON.parse(text) as { readonly receiver: string; readonly eventId: string },
  );
  const receivers = Map.groupBy(printed, ({ receiver }) => receiver);
  for (const [to, all] of receivers) {
    const listed = eventsOf(await viewer.visitor.read(toAddress('deliveries', { since: SINCE, to })));
    const own = new Set(all.map(({ eventId }) => eventId));
    const strange = listed.filter((id) => !own.has(id));
    expectEqual(strange.join(), '', `deliveries to ${to} that the command does not list`);
    // A page has the newest.
    if (own.size <= 500) expectEqual(listed.length, all.length, `deliveries to ${to}`);
  }
  return `${printed.length} deliveries to ${receivers.size} receivers`;
}

async function checkPeriods(viewer: Viewer): Promise<string> {
  const board = await viewer.visitor.read('periods');
  const addresses = [...board.matchAll(/<a href="(periods\/[^"]+)"/g)].map(([, address = '']) => address);
  const [address] = addresses;
  if (address === undefined) throw new Error('the page has no pay period');
  const { pathname, searchParams } = new URL(address, 'http://console');
  const [id = '', connection = ''] = [pathname.split('/').at(-1), searchParams.get('connection') ?? ''];
  const printed = await viewer.commands.notifier(['period', id, '--connection', connection, '--json']);
  const { account } = JSON.parse(printed) as { account: { timesheets: number; hours: number } };
  const page = toText(await viewer.visitor.read(address));
  expectText(page, `Total ${account.hours.toLocaleString('en')} h`, `hours of ${id}`);
  let lines = 0;
  for (const file of ['pay', 'left-over']) {
    const csv = await viewer.visitor.read(`periods/${id}/${file}.csv?connection=${connection}`);
    lines += csv.trimEnd().split('\r\n').length - 1;
  }
  if (lines < account.timesheets)
    throw new Error(`the files have ${lines} of ${account.timesheets} timesheets`);
  return `${addresses.length} pay periods`;
}

interface Finding {
  readonly about: string;
  readonly says: string;
}

async function checkHealth(viewer: Viewer): Promise<string> {
  const { stdout } = await viewer.commands.tryNotifier(['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  // They are shown once they are there.
  let page = '';
  for (let tries = 0; tries < MAX_MESSAGES && !page.includes('Checked'); tries += 1)
    page = toText(await viewer.visitor.read('deliveries'));
  for (const { about, says } of findings.filter((each) => !needsSecret(each)))
    expectText(page, `${about} ${says}`.replaceAll(/\s+/g, ' '), 'findings of doctor that need no secret');
  for (const { about } of findings.filter(needsSecret))
    expectText(page, new RegExp(`${about} .{0,200}exists; `), 'secrets that were looked for');
  return `${findings.length} findings`;
}

/** Whoever looks may not read secrets, nor ask a source or Slack with them. */
function needsSecret({ about }: Finding): boolean {
  return /^(?:source of|slack|teams|webhook) /.test(about);
}

/** What is published while somebody looks comes by itself, each event once. */
async function checkStream(viewer: Viewer, observed: Observed): Promise<string> {
  const known = new Set(eventsOf(await viewer.visitor.read('now?type=*')));
  let wanted: readonly string[] | null = null;
  let waited = 0;
  // At first it has what was committed in the minutes before.
  const listNew = (all: Parameters<typeof rowsOf>[0]) => rowsOf(all).filter((id) => !known.has(id));
  const reading = readStream(viewer.visitor, 'stream?type=*', (all) => {
    if (wanted === null) return false;
    waited += 1;
    return listNew(all).length >= wanted.length || waited > MAX_MESSAGES;
  });
  wanted = await liveOnUntilSomethingHappens(observed);
  const ids = listNew(await reading);
  expectSame(ids, wanted, 'events of the stream');
  expectEqual(ids.length, wanted.length, 'events of the stream, each once');
  return `${ids.length} as they happened`;
}

/** Ids of the events of the first hour that has some: at night there are none. */
async function liveOnUntilSomethingHappens(observed: Observed): Promise<string[]> {
  for (let hours = 0; hours < MAX_QUIET_HOURS; hours += 1) {
    await observed.world.companies.advance(60);
    await runSchedules(observed.deployed);
    const arrived = await observed.deployed.take();
    observed.arrived = joinArrivals(observed.arrived, arrived);
    const ids = [...new Set((arrived.get(ALL) ?? []).map((text) => parseEvent(text).id))];
    if (ids.length > 0) return ids;
  }
  throw new Error(`nothing happened in ${MAX_QUIET_HOURS} hours`);
}

/** Nothing is sent, and the page has no button for it. */
async function checkReadOnly(viewer: Viewer, observed: Observed): Promise<string> {
  const page = await viewer.visitor.read(toAddress('deliveries', { since: SINCE }));
  expectEqual(page.includes('action="resend"'), false, 'whether the page sends again');
  const refused = await resend(viewer, observed);
  expectEqual(refused.status, 400, 'the answer to sending again without --allow-writes');
  expectText(await refused.text(), '--allow-writes', 'the refusal');
  return 'nothing sent';
}

async function resend(viewer: Viewer, observed: Observed): Promise<Response> {
  const { id, connection } = findApproved(observed.arrived);
  const chapter = (await findChapters(viewer, observed)).find(({ event }) => event.id === id);
  if (chapter === undefined) throw new Error(`the log has no event ${id}`);
  const fields = { receiver: 'archive', id, connection, committedAt: chapter.committedAt };
  return await viewer.visitor.post('resend', fields, new URL(viewer.visitor.place).origin);
}
