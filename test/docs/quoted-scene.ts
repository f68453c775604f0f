import { PAYING_EVENT_TYPES } from '#shared/config/schema/unheard-follow-ups.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make } from '#test/end-to-end/company.ts';
import type { WireEvent } from '#test/end-to-end/inbox.ts';

/** From Thursday 11:00 to Friday 13:00, when the company has closed a pay period; a poll after each. */
const MINUTES_BETWEEN_POLLS = [60, 300, 1_020, 60, 30, 30, 60];
const WATCHED = { from: '2026-02-25', to: '2026-03-13' };
const WEBHOOK = 'webhook/payroll-system';
const DAY_MS = 86_400_000;

/** What the samples of docs/cli.md were run against. */
export interface QuotedScene {
  readonly machine: WatchedMachine;
  /** What the words of a sample stand for on this machine, such as the data folder for `.data`. */
  readonly places: ReadonlyMap<string, string>;
  /** What a sample needs that would show in those before it. */
  readonly prepare: Readonly<Record<string, () => Promise<void>>>;
  stop(): Promise<void>;
}

/**
 * The sample company lives from Thursday to Friday on a machine whose clock is set before each poll. Its deliveries are
 * written as their senders write them; nobody receives anything.
 */
export async function playQuotedScene(): Promise<QuotedScene> {
  const machine = await startWatchedMachine({ windowBackDays: 8 });
  const told: WireEvent[] = [];
  const poll = async () => void told.push(...(await machine.stage.tell()));
  for (const minutes of MINUTES_BETWEEN_POLLS) {
    await machine.advance(minutes);
    await poll();
  }
  await machine.advance(30);
  changeLate(machine);
  await poll();
  await machine.advance(90);
  await poll();
  await deliver(machine, told);
  await machine.advance(10);
  return {
    machine,
    places: new Map([['.data', machine.stage.dataFolder]]),
    prepare: {
      forget: () => leave(machine, '1027_1'),
    },
    stop: () => machine.stop(),
  };
}

/** A paid timesheet of the last closed pay period gets an hour more, and the period is reopened. */
function changeLate({ source }: WatchedMachine): void {
  const closed = source.company.payPeriods().filter((each) => each.closed !== null);
  const [period] = closed.toSorted((a, b) => (a.finishDate < b.finishDate ? 1 : -1));
  if (period === undefined) throw new Error('no pay period is closed');
  const [paid] = source.company
    .members(period)
    .filter(({ includesLeave, processed }) => !includesLeave && processed !== null)
    .toSorted((a, b) => (a.date < b.date ? 1 : -1));
  if (paid === undefined) throw new Error(`nothing of ${period.id} is paid`);
  make(source, { change: 'change', id: paid.id, hours: paid.hoursToPay + 1 });
  make(source, { change: 'reopen-pay-period', id: period.id });
}

/** What became of the events of approvals and pay periods: one waits, one needed a second attempt. */
async function deliver({ deliveryStore, stage, webhookStates }: WatchedMachine, told: readonly WireEvent[]) {
  const at = stage.now();
  const save = async ({ event }: WireEvent, entry: Pick<Delivery, 'destination'> & Partial<Delivery>) => {
    const delivered = { eventId: event.id, outcome: 'delivered', attempts: 1, at, detail: null } as const;
    await deliveryStore.save({ ...delivered, ...entry }, at + DAY_MS);
  };
  const sent = told.filter(({ type }) => PAYING_EVENT_TYPES.includes(`workforce.${type}`));
  const last = sent.at(-1)?.event.id;
  for (const wire of sent) {
    const isLast = wire.event.id === last;
    const answers = { attempts: 3, answers: ['503', '503', '503'], nextAt: at + 1_800_000 };
    const retried = wire.type === 'pay_period.closed' ? { attempts: 2, answers: ['503'] } : {};
    await save(wire, {
      destination: WEBHOOK,
      ...retried,
      ...(isLast ? { outcome: 'waiting', ...answers } : {}),
    });
  }
  for (const wire of told.filter(({ type }) => type === 'timesheet.processing_reverted')) {
    await save(wire, { destination: 'slack/payroll' });
  }
  const refusal = { url: 'http://127.0.0.1:4242/hook', reason: '410', connection: 'main', told: true };
  await webhookStates.saveDisabled('payroll-system', { ...refusal, at });
}

/** The source no longer lists an employee and their timesheets, and the polls have seen that. */
async function leave({ source, stage }: WatchedMachine, employeeId: string): Promise<void> {
  const own = source.company.timesheets(WATCHED).filter((each) => each.employeeId === employeeId);
  for (const { id } of own) make(source, { change: 'remove', id });
  source.company.world.records.employees.add(employeeId, { at: source.now(), record: null });
  await stage.tell();
  await stage.poll();
}
