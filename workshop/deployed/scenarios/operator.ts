import { readTableTexts } from '#test/support/table-texts.ts';
import type { Commands } from '../command.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { type Arrivals, type Notifier, runSchedules } from '../notifiers/notifier.ts';
import type { Report } from '../report.ts';
import { CONNECTIONS } from '../world/everything.ts';
import { checkConsole, checkConsoleWrites } from './console.ts';
import {
  type Event,
  expectEqual,
  expectSame,
  expectText,
  parseEvent as parse,
  parseEvent,
} from './expectations.ts';
import { ALL, connectCommands, findApproved } from './living.ts';
import { checkComparison, checkDeliveries, checkForwarding, checkPeriod } from './read-commands.ts';
import type { Scene } from './scene.ts';

export interface Operator extends Scene {
  readonly deployed: Notifier;
  /** Everything that arrived until now, but for what was sent again and examples. */
  arrived: Arrivals;
  /** Path of the config. */
  readonly config: string;
}

/** The commands of the operator against the stack, by the clock of the functions. Returns all that arrived until then. */
export async function runOperator(
  report: Report,
  operator: Operator,
  { withConsole }: { readonly withConsole: boolean },
): Promise<Arrivals> {
  const commands = connectCommands(operator);
  const run = (name: string, work: (using: Operator, commands: Commands) => Promise<string>) =>
    report.check(name, () => work(operator, commands));
  await run('doctor finds a healthy stack', checkDoctor);
  await run('events equals what was published', checkEvents);
  await run('events of a record tell of every delivery', checkHistory);
  await run('period says what its events say', checkPeriod);
  await run('deliveries lists those that were made', checkDeliveries);
  await run('test --forward hands on each event once', checkForwarding);
  await run('send --events sends the same bytes again', checkSendingEvents);
  await run('send --state sends the state of each record', checkSendingStates);
  await run('period --compare says what a payer lacks', checkComparison);
  await run('test --to sends an example, marked', checkExamples);
  await run('a webhook disabled by 410, enabled again', checkEnabling);
  if (withConsole) await run('the console shows what the commands say', checkConsole);
  if (withConsole) await run('the console sends an event again', checkConsoleWrites);
  await run('forget erases an employee', checkForget);
  await run('commands say what is wrong', checkFailures);
  return operator.arrived;
}

/** What the last line of `send` says. */
function readSent(printed: string): number {
  return Number(/^(\d+) sent$/m.exec(printed)?.[1]);
}

interface Finding {
  readonly about: string;
  readonly outcome: 'ok' | 'warning' | 'wrong';
  readonly says: string;
}

async function checkDoctor(_: Operator, commands: Commands): Promise<string> {
  const { stdout } = await commands.tryNotifier(['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const isClock = ({ outcome, says }: Finding) => outcome === 'warning' && /^its clock is \d+ s/.test(says);
  const clocks = findings.filter(isClock);
  expectEqual(clocks.length, CONNECTIONS.length, 'warnings of a clock, as that of the test stands still');
  // Its messages are compared as they are without links.
  const isLink = ({ about, outcome }: Finding) => about === 'links' && outcome === 'warning';
  // Nothing leaves this machine: the chats are stood in for by a receiver without TLS, which only functions are told.
  const isChat = ({ about, says }: Finding) =>
    /^(?:slack|teams) /.test(about) && /did not answer|address that is not https/.test(says);
  const others = findings.filter(
    (finding) =>
      finding.outcome !== 'ok' && ![isClock, isLink, isChat].some((isExpected) => isExpected(finding)),
  );
  if (others.length > 0) throw new Error(others.map(({ about, says }) => `${about}: ${says}`).join('\n'));
  return `${findings.length - clocks.length} findings, all ok but for links and chats`;
}

async function checkEvents({ arrived }: Operator, commands: Commands): Promise<string> {
  const everything = arrived.get(ALL) ?? [];
  const list = async (...args: string[]) =>
    (await commands.notifier(['events', '--since', '5d', ...args])).split('\n').filter((line) => line !== '');
  expectSame(await list('--json'), everything, 'events --json');
  const suits = (wanted: (event: Event) => boolean) => everything.filter((text) => wanted(parse(text)));
  const periods = suits(({ type }) => type.startsWith('workforce.pay_period.'));
  expectSame(await list('--json', '--type', 'pay_period.*'), periods, 'events --type pay_period.*');
  const [line = ''] = await list();
  expectText(line, /^\d{4}-\d\d-\d\d/, 'events');
  return `${new Set(everything).size} events, ${periods.length} of pay periods`;
}

async function checkHistory({ arrived }: Operator, commands: Commands): Promise<string> {
  const event = findApproved(arrived);
  const text = await commands.notifier(['events', event.subject]);
  for (const wanted of [
    event.id,
    /published to the topic timesheets/,
    /queue payroll: waits until it is read/,
    /webhook\/archive: delivered/,
    /webhook\/payroll-system: delivered/,
  ]) {
    expectText(text, wanted, 'events of a record');
  }
  const closed = (arrived.get(ALL) ?? [])
    .map(parse)
    .find(({ type, connection }) => type === 'workforce.pay_period.closed' && connection === 'main');
  if (closed === undefined) throw new Error('no pay period of main was closed');
  const history = await commands.notifier(['events', closed.subject]);
  for (const wanted of [/slack\/payroll: delivered/, /email\/office: delivered/])
    expectText(history, wanted, 'events of a pay period');
  return `timesheet ${event.subject}: log, deliveries to two webhooks, and its values; pay period ${closed.subject}: Slack and mail`;
}

async function checkSendingEvents(
  { arrived, deployed, world }: Operator,
  commands: Commands,
): Promise<string> {
  // What is logged from now on is left out.
  await world.companies.advance(1);
  const all = ['send', '--events', '--since', '5d', '--yes'];
  const gate = arrived.get('webhook gate') ?? [];
  const sent = readSent(await commands.notifier([...all, '--to', 'gate']));
  expectEqual(sent, new Set(gate).size, 'events of send --events');
  const { subject } = findApproved(arrived);
  await commands.notifier([...all, '--record', subject, '--to', 'payroll']);
  await deployed.settle();
  const again = await deployed.take();
  const queue = 'queue payroll-inbox';
  const ofRecord = (arrived.get(queue) ?? []).filter((text) => parse(text).subject === subject);
  expectSame(again.get(queue) ?? [], ofRecord, 'events of a record that a queue gets again');
  expectSame(again.get('webhook gate') ?? [], gate, 'events that a webhook gets again');
  expectSame([...again.keys()], [queue, 'webhook gate'], 'places that they reach');
  return `${sent} events to a webhook, ${ofRecord.length} of one record to a queue`;
}

async function checkSendingStates({ deployed }: Operator, commands: Commands): Promise<string> {
  const printed = await commands.notifier(['send', '--state', '--to', 'archive', '--yes']);
  await deployed.settle();
  const again = await deployed.take();
  expectEqual([...again.keys()].join(), 'webhook archive', 'places that states for one webhook reach');
  const ids = new Set((again.get('webhook archive') ?? []).map((text) => parse(text).id));
  expectEqual(ids.size, readSent(printed), 'records');
  return `${ids.size} records`;
}

async function checkExamples({ deployed }: Operator, commands: Commands): Promise<string> {
  const send = (type: string, to: string) => commands.tryNotifier(['test', '--type', type, '--to', to]);
  const places = new Map([
    ['payroll-system', 'webhook payroll-system'],
    ['planning', 'queue everything-planning'],
    ['slack/payroll', 'slack payroll'],
  ]);
  const sent = new Map<string, string>();
  for (const [to, place] of places) {
    const id = / with the id (\S+) /.exec((await send('timesheet.approved', to)).stdout)?.[1] ?? 'no id';
    // Slack shows the sentence alone.
    sent.set(place, to.startsWith('slack/') ? 'Example: ' : id);
  }
  await deployed.settle();
  const arrived = await deployed.take();
  for (const [place, text] of sent) expectText(arrived.get(place)?.join() ?? '', text, place);
  const excluded = await send('pay_period.closed', 'gate');
  expectEqual(excluded.code, 1, 'the exit code for a type that the receiver excludes');
  return 'to a webhook, a queue and Slack; refused where the topics exclude it';
}

async function checkEnabling({ deployed, world }: Operator, commands: Commands): Promise<string> {
  world.receiver.answer('payroll-system', 410);
  await commands.notifier(['test', '--to', 'payroll-system']);
  await deployed.settle();
  world.receiver.answer('payroll-system', 204);
  const doctor = await commands.tryNotifier(['doctor']);
  expectEqual(doctor.code, 1, 'the exit code of doctor');
  expectText(doctor.stdout, /wrong +webhook payroll-system +answered 410 at .* and is disabled/, 'doctor');
  const refused = await commands.tryNotifier(['test', '--to', 'payroll-system']);
  expectEqual(refused.code, 1, 'the exit code of test to a disabled webhook');
  const resume = ['deliveries', '--to', 'payroll-system', '--resend', '--yes'];
  expectText(await commands.notifier(resume), /gets events again/, 'deliveries --resend');
  await commands.notifier(['test', '--to', 'payroll-system']);
  await deployed.settle();
  const again = (await deployed.take()).get('webhook payroll-system') ?? [];
  expectEqual(again.length, 1, 'deliveries after it was resumed');
  return 'doctor reports it, test refuses, deliveries go on afterwards';
}

async function checkFailures(_: Operator, commands: Commands): Promise<string> {
  const wrong: readonly (readonly [args: string[], says: RegExp])[] = [
    [['events', '--type', 'nonsense'], /matches no event type/],
    [['send', '--events', '--to', 'nobody', '--yes'], /there is no receiver "nobody"; use one of/],
    [['send', '--state', '--to', 'archive'], /nothing was sent: .*add --yes/],
  ];
  const printed = await Promise.all(wrong.map(([args]) => commands.tryNotifier(args)));
  for (const [index, [args, says]] of wrong.entries()) {
    expectEqual(printed[index]?.code, 1, `the exit code of ${args.join(' ')}`);
    expectText(printed[index]?.stderr ?? '', says, args.join(' '));
  }
  return `${wrong.length} mistakes, each with exit code 1 and advice`;
}

const CONNECTION = 'north';
const FORGOTTEN = 'workforce.employee.forgotten';

/** An employee whom the source still lists is erased: nothing tells of him until the next poll, which tells subscribers. */
async function checkForget(operator: Operator, commands: Commands): Promise<string> {
  const { arrived, deployed } = operator;
  const employeeId = findEmployee(arrived.get(ALL) ?? []);
  const whom = ['forget', '--employee', employeeId, '--connection', CONNECTION, '--yes'];
  const list = async () => {
    const lines = (await commands.notifier(['events', '--since', '5d', '--json'])).split('\n');
    return lines.filter((line) => line !== '' && parse(line).connection === CONNECTION).join('\n');
  };
  const refused = await commands.tryNotifier(whom);
  expectEqual(refused.code, 1, 'the exit code while the source lists the employee');
  expectText(refused.stderr, /the source lists timesheets of this employee/, 'forget');
  const before = await findTraces(operator, employeeId);
  if (before.length === 0) throw new Error(`no item of the table tells of ${employeeId}`);
  expectText(await list(), employeeId, 'events before');

  const force = [...whom, '--force'];
  const forgotten = /^forgot employee \S+: (\d+) timesheets?, \d+ other/m.exec(
    await commands.notifier(force),
  );
  expectEqual((await findTraces(operator, employeeId)).join(), '', 'items that tell of the employee');
  expectEqual((await list()).includes(employeeId), false, 'whether events tells of the employee');
  expectText(await commands.notifier(force), /^nothing is stored of employee /m, 'forget again');

  await runSchedules(deployed);
  const now = await deployed.take();
  operator.arrived = joinArrivals(arrived, now);
  const told = (now.get(ALL) ?? []).filter((text) => parseEvent(text).type === FORGOTTEN);
  const timesheets = Number(forgotten?.[1]);
  expectEqual(new Set(told).size, timesheets, `events ${FORGOTTEN}`);
  expectEqual(told.join().includes(employeeId), false, `whether ${FORGOTTEN} tells of the employee`);
  return `${before.length} items told of the employee, none afterwards; ${timesheets} timesheets, each told`;
}

/** The employee with the most events. */
function findEmployee(texts: readonly string[]): string {
  const employees = texts.flatMap((text) => {
    const { connection, data } = JSON.parse(text);
    const id: unknown = connection === CONNECTION ? data?.current?.employeeId : null;
    return typeof id === 'string' ? [id] : [];
  });
  const [most] = [...Map.groupBy(employees, (id) => id)].sort(([, a], [, b]) => b.length - a.length);
  if (most === undefined) throw new Error(`no event of ${CONNECTION} tells of an employee`);
  return most[0];
}

/** Keys of the items of the connection and of alerts that tell of the employee. */
async function findTraces({ aws, stack }: Operator, employeeId: string): Promise<string[]> {
  const items = await readTableTexts({ client: aws.dynamoDb, tableName: await stack.tableName() });
  const whole = new RegExp(`(?<!\\w)${employeeId}(?!\\w)`);
  const isOwn = (key: string, text: string) =>
    key.startsWith(`${CONNECTION}#`) || (key.startsWith('alerts#') && text.includes(`"${CONNECTION}"`));
  const own = [...items].filter(([key, text]) => isOwn(key, text));
  return own.filter(([, text]) => whole.test(text)).map(([key]) => key);
}
