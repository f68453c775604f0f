import { readTableTexts } from '#test/support/table-texts.ts';
import type { Commands } from '../command.ts';
import { joinArrivals } from '../notifiers/arrivals.ts';
import { runSchedules } from '../notifiers/notifier.ts';
import { expectEqual, expectText, parseEvent } from './expectations.ts';
import { ALL } from './living.ts';
import type { Operator } from './operator.ts';

const CONNECTION = 'north';
const FORGOTTEN = 'workforce.record.forgotten';

interface Report {
  readonly timesheets: number;
  readonly items: number;
}

/** An employee whom the source still lists is erased: nothing tells of him until the next poll, which tells subscribers. */
export async function checkForget(operator: Operator, commands: Commands): Promise<string> {
  const { arrived, deployed } = operator;
  const employeeId = findEmployee(arrived.get(ALL) ?? []);
  const whom = ['forget', '--employee', employeeId, '--connection', CONNECTION, '--yes'];
  const list = () => commands.notifier(['events', '--since', '5d', '--json', '--connection', CONNECTION]);
  const refused = await commands.tryNotifier(whom);
  expectEqual(refused.code, 1, 'the exit code while the source lists the employee');
  expectText(refused.stderr, /the source lists timesheets of this employee/, 'forget');
  const before = await findTraces(operator, employeeId);
  if (before.length === 0) throw new Error(`no item of the table tells of ${employeeId}`);
  expectText(await list(), employeeId, 'events before');

  const force = [...whom, '--force', '--json'];
  const { timesheets } = JSON.parse(await commands.notifier(force)) as Report;
  expectEqual((await findTraces(operator, employeeId)).join(), '', 'items that tell of the employee');
  expectEqual((await list()).includes(employeeId), false, 'whether events tells of the employee');
  const again = JSON.parse(await commands.notifier(force)) as Report;
  expectEqual(again.timesheets + again.items, 0, 'timesheets and items of a second run');

  await runSchedules(deployed);
  const now = await deployed.take();
  operator.arrived = joinArrivals(arrived, now);
  const told = (now.get(ALL) ?? []).filter((text) => parseEvent(text).type === FORGOTTEN);
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
