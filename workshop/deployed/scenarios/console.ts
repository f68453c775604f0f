import type { DeliveriesAnswer } from '#console/routes/deliveries.ts';
import type { DoctorAnswer } from '#console/routes/doctor.ts';
import type { EventAnswer, Line, LinesAnswer } from '#console/routes/lines.ts';
import type { Overview } from '#console/routes/overview.ts';
import { PATHS } from '#console/routes/paths.ts';
import type { PeriodAnswer, PeriodsAnswer } from '#console/routes/periods.ts';
import type { RecordAnswer } from '#console/routes/record.ts';
import { enter, linesOf, readStream, type Visitor } from '#test/console/visitor.ts';
import type { Commands } from '../command.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { runSchedules } from '../notifiers/notifier.ts';
import { createConsoleRole } from '../permissions/console-role.ts';
import { CONNECTIONS } from '../world/everything.ts';
import { type Event, expectEqual, expectSame, expectText, parseEvent } from './expectations.ts';
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
  readonly origin: string;
  readonly commands: Commands;
}

/** Every screen of the console against what the commands say, with a role that may only read. */
export async function checkConsole(observed: Observed, commands: Commands): Promise<string> {
  const { aws, stack } = observed;
  const environment = await createConsoleRole(aws, stack.name);
  const viewer = { ...(await openConsole(commands.with({ environment }), ['console'])), commands };
  try {
    const said = [
      await checkLines(viewer),
      await checkRecord(viewer, observed),
      await checkDeliveries(viewer),
      await checkPeriods(viewer),
      await checkHealth(viewer),
      await checkStream(viewer, observed),
    ];
    await expectReadOnly(viewer);
    return said.join(', ');
  } finally {
    await viewer.stop();
  }
}

/** With the operator's own credentials and `--allow-writes`, an event is sent to a webhook again. */
export async function checkConsoleWrites(observed: Observed, commands: Commands): Promise<string> {
  const viewer = { ...(await openConsole(commands, ['console', '--allow-writes'])), commands };
  try {
    const event = findApproved(observed.arrived);
    const { found } = await readRecord(viewer, event);
    const chapters = found.flatMap((each) => each.chapters);
    const chapter = chapters.find((each) => each.event.id === event.id);
    if (chapter === undefined) throw new Error(`the console has no event ${event.id}`);
    const { committedAt } = chapter;
    const answer = await resend(viewer, { ...event, committedAt });
    expectEqual(answer.status, 204, 'the answer to sending again');
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
  const visitor = await enter(address);
  return { visitor, origin: new URL(address).origin, stop };
}

async function get<Answer>({ visitor }: Viewer, path: string, query: Record<string, string> = {}) {
  const response = await visitor.get(`${path}?${new URLSearchParams(query)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

async function print({ commands }: Viewer, ...args: string[]): Promise<string[]> {
  return (await commands.notifier(args)).split('\n').filter((line) => line !== '');
}

async function listLines(viewer: Viewer): Promise<Line[]> {
  const found: Line[] = [];
  let before: string | null = '';
  while (before !== null) {
    const answer: LinesAnswer = await get(viewer, PATHS.events, before === '' ? {} : { before });
    found.push(...answer.lines);
    before = answer.next;
  }
  return found;
}

async function checkLines(viewer: Viewer): Promise<string> {
  const { place, allowsWrites, connections } = await get<Overview>(viewer, PATHS.overview);
  expectEqual(`${place} ${allowsWrites}`, 'aws false', 'what the console looks at, and whether it writes');
  expectEqual(connections.map(({ name }) => name).join(), CONNECTIONS.join(), 'connections');
  const lines = await listLines(viewer);
  const events = await print(viewer, 'events', '--since', SINCE, '--json');
  const ids = events.map((text) => parseEvent(text).id);
  expectSame(
    lines.map(({ id }) => id),
    ids,
    'lines of the live screen',
  );
  expectEqual(lines.length, ids.length, 'lines, each once');
  const sorted = lines.toSorted((a, b) => (a.key < b.key ? 1 : -1));
  expectEqual(JSON.stringify(lines), JSON.stringify(sorted), 'lines, newest first');
  for (const { id, connection, committedAt } of lines.slice(0, 3)) {
    const { text } = await get<EventAnswer>(viewer, PATHS.event, { id, connection, committedAt });
    expectEqual(events.includes(text), true, 'whether an event is the one of the log, byte for byte');
  }
  return `${lines.length} events`;
}

function readRecord(viewer: Viewer, { subject: id, connection }: Event): Promise<RecordAnswer> {
  return get<RecordAnswer>(viewer, PATHS.record, { id, connection, since: SINCE });
}

async function checkRecord(viewer: Viewer, observed: Observed): Promise<string> {
  const event = findApproved(observed.arrived);
  const { found, notes } = await readRecord(viewer, event);
  const printed = JSON.parse(
    (await print(viewer, 'events', event.subject, '--since', SINCE, '--json')).join('\n'),
  );
  const explained = (printed as typeof found).filter(({ connection }) => connection === event.connection);
  expectEqual(JSON.stringify(found), JSON.stringify(explained), 'events RECORD --json');
  const chapters = notes.flatMap((each) => each.chapters);
  const delivered = chapters.flatMap(({ receivers }) =>
    receivers.filter(({ outcome }) => outcome === 'delivered').map(({ name }) => name),
  );
  for (const name of ['webhook/archive', 'webhook/payroll-system'])
    expectEqual(delivered.includes(name), true, `whether an event of the record was delivered to ${name}`);
  return `a record of ${chapters.length} as events has it`;
}

interface PrintedDelivery {
  readonly receiver: string;
  readonly eventId: string;
  readonly outcome: string;
  readonly attempts: number;
}

async function checkDeliveries(viewer: Viewer): Promise<string> {
  const printed = (await print(viewer, 'deliveries', '--since', SINCE, '--json')).map(
    (text) => JSON.parse(text) as PrintedDelivery,
  );
  const describe = ({ receiver, eventId, outcome, attempts }: PrintedDelivery) =>
    `${receiver} ${eventId} ${outcome} ${attempts}`;
  const { receivers, total } = await get<DeliveriesAnswer>(viewer, PATHS.deliveries, { since: SINCE });
  expectEqual(total, printed.length, 'deliveries');
  for (const { label } of receivers) {
    const query = { since: SINCE, to: label };
    const answer = await get<DeliveriesAnswer>(viewer, PATHS.deliveries, query);
    const own = printed.filter(({ receiver }) => receiver === label).map(describe);
    expectEqual(answer.total, own.length, `deliveries to ${label}`);
    const listed = answer.deliveries.map(describe);
    expectSame(listed, listed.length < own.length ? listed.filter((each) => own.includes(each)) : own, label);
  }
  return `${total} deliveries to ${receivers.length} receivers`;
}

async function checkPeriods(viewer: Viewer): Promise<string> {
  const { periods, troubles } = await get<PeriodsAnswer>(viewer, PATHS.periods);
  expectEqual(troubles.join(), '', 'troubles of the pay periods');
  const [first] = periods;
  if (first === undefined) throw new Error('the board has no pay period');
  const { id, connection, timesheets, hours } = first;
  const args = ['period', id, '--connection', connection, '--json'];
  const { account } = JSON.parse(await viewer.commands.notifier(args)) as {
    account: Record<string, unknown>;
  };
  const wanted = [account.timesheets, account.hours].join(' ');
  expectEqual([timesheets, hours].join(' '), wanted, `account of ${id}`);
  const { row } = await get<PeriodAnswer>(viewer, PATHS.period, { id, connection });
  expectEqual(row.timesheets, timesheets, `timesheets of ${id}`);
  let lines = 0;
  for (const file of ['pay', 'left-over']) {
    const csv = await viewer.visitor.get(
      `${PATHS.periodCsv}?${new URLSearchParams({ id, connection, file })}`,
    );
    lines += (await csv.text()).trimEnd().split('\r\n').length - 1;
  }
  if (lines < timesheets) throw new Error(`the files of ${id} have ${lines} of ${timesheets} timesheets`);
  return `${periods.length} pay periods`;
}

async function checkHealth(viewer: Viewer): Promise<string> {
  const { findings } = await get<DoctorAnswer>(viewer, PATHS.doctor, { again: 'yes' });
  const { stdout } = await viewer.commands.tryNotifier(['doctor', '--json']);
  const printed = JSON.parse(stdout) as DoctorAnswer;
  const describe = ({ about, outcome, says }: Finding) => `${outcome} ${about}: ${says}`;
  const wanted = printed.findings.filter((finding) => !needsSecret(finding)).map(describe);
  const looked = findings.filter(needsSecret);
  const others = findings.filter((finding) => !needsSecret(finding));
  expectSame(others.map(describe), wanted, 'findings of doctor that need no secret');
  const abouts = new Set(printed.findings.filter(needsSecret).map(({ about }) => about));
  expectSame(
    looked.map(({ about }) => about),
    [...abouts],
    'secrets that were looked for',
  );
  const unseen = looked.find(({ outcome, says }) => outcome !== 'ok' || !says.includes('exists; '));
  if (unseen !== undefined) throw new Error(`not looked for: ${describe(unseen)}`);
  return `${findings.length} findings`;
}

type Finding = DoctorAnswer['findings'][number];

/** Whoever looks may not read secrets, nor ask a source or Slack with them. */
function needsSecret({ about }: Finding): boolean {
  return /^(?:source of|slack|teams|webhook) /.test(about);
}

/** What is published while somebody looks comes by itself, each event once. */
async function checkStream(viewer: Viewer, observed: Observed): Promise<string> {
  const { lines: before } = await get<LinesAnswer>(viewer, PATHS.events);
  const known = new Set(before.map(({ id }) => id));
  let wanted: readonly string[] | null = null;
  let waited = 0;
  // At first it has what was committed in the minutes before.
  const listNew = (all: Parameters<typeof linesOf>[0]) =>
    linesOf(all).flatMap(({ id }) => (known.has(id) ? [] : [id]));
  const reading = readStream(viewer.visitor, PATHS.stream, {
    isEnough: (all) => {
      if (wanted === null) return false;
      waited += 1;
      return listNew(all).length >= wanted.length || waited > MAX_MESSAGES;
    },
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

/** Nothing is sent, and the page has the command that would send it. */
async function expectReadOnly(viewer: Viewer): Promise<void> {
  const { lines } = await get<LinesAnswer>(viewer, PATHS.events, { limit: '1' });
  const [line] = lines;
  if (line === undefined) throw new Error('the log is empty');
  const refused = await resend(viewer, line);
  expectEqual(refused.status, 400, 'the answer to sending again without --allow-writes');
  expectText(await refused.text(), /read_only.*--allow-writes/, 'the refusal');
  const { receivers } = await get<DeliveriesAnswer>(viewer, PATHS.deliveries, { since: SINCE });
  const command = receivers.find(({ label }) => label === 'archive')?.resendCommand ?? '';
  const [, words = ''] = command.split('npm run notifier -- ');
  const printed = await viewer.commands.notifier([...words.split(' '), '--yes']);
  expectText(printed, /no delivery to a webhook failed/, command);
}

function resend(
  { visitor, origin }: Viewer,
  { id, connection, committedAt }: Pick<Line, 'id' | 'connection' | 'committedAt'>,
): Promise<Response> {
  const event = { id, connection, committedAt };
  return visitor.post(PATHS.resend, JSON.stringify({ receiver: 'archive', event }), origin);
}
