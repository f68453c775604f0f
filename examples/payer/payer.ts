import { type FoldState, fold, type TimesheetEvent } from 'workforce-change-notifier';

/** What is known of one timesheet. */
export interface Entry {
  readonly state: FoldState<TimesheetEvent>;
  /** What others had paid for it before we began, by its earliest known state; null while none is known. */
  readonly opening: { readonly position: string; readonly minutes: number } | null;
  readonly payments: readonly Payment[];
}

/** `id` is never used for another payment; `minutes` are negative when something is taken back. */
export interface Payment {
  readonly id: string;
  readonly minutes: number;
  readonly sent: boolean;
}

/** Entries by the `partitionkey` of their events. A `Map` is one; `openBook` keeps them in a file. */
export interface Book extends Iterable<readonly [string, Entry]> {
  get(key: string): Entry | undefined;
  set(key: string, entry: Entry): unknown;
}

/** Takes an event into the book. Events may come in any order and more than once. `since`: when we began to pay. */
export function enter(event: TimesheetEvent, book: Book, since: string): void {
  const key = event.partitionkey;
  const { state = null, opening = null, payments = [] } = book.get(key) ?? {};
  book.set(key, { state: fold(state, event).state, opening: findOpening(event, opening, since), payments });
}

/** Pays what is owed and was not paid yet. After a crash, run it again: it repeats the unsent payments, ids included. */
export async function pay(book: Book, transfer: (payment: Payment) => Promise<unknown>): Promise<void> {
  for (const [key, entry] of [...book]) {
    const minutes = countDue(entry);
    const added = minutes === 0 ? [] : [{ id: `${key}/${entry.payments.length}`, minutes, sent: false }];
    const payments = [...entry.payments, ...added];
    const unsent = payments.filter(({ sent }) => !sent);
    if (unsent.length === 0) continue;
    // In the book before it is sent: an event that comes after a crash must not make another payment of it.
    book.set(key, { ...entry, payments });
    for (const payment of unsent) await transfer(payment);
    const sent = payments.map((payment) => ({ ...payment, sent: true }));
    book.set(key, { ...(book.get(key) ?? entry), payments: sent });
  }
}

/** Approved hours, less what was paid. Zero while it is not known what was paid before we began. */
function countDue({ state: { current }, opening, payments }: Entry): number {
  if (opening === null) return 0;
  const owed = current?.approvedHours ? toMinutes(current.hoursToPay) : 0;
  return payments.reduce((due, { minutes }) => due - minutes, owed - opening.minutes);
}

/** What was processed before `since` was paid by others: the earliest state from then on says how much. */
function findOpening(event: TimesheetEvent, known: Entry['opening'], since: string): Entry['opening'] {
  const { type, epoch, time, data } = event;
  const isSnapshot = type === 'workforce.timesheet.snapshot';
  // Sent again, from before we began.
  if (!isSnapshot && time < since) return known;
  const sequence = isSnapshot ? event.sequence : event.sequence - 1;
  const position = `${epoch} ${String(sequence).padStart(9, '0')}`;
  if (known !== null && known.position <= position) return known;
  const { processed, hoursToPay = 0 } = { ...data.current, ...data.previous };
  const isPaid = processed != null && !(Date.parse(processed) >= Date.parse(since));
  return { position, minutes: isPaid ? toMinutes(hoursToPay) : 0 };
}

function toMinutes(hours: number): number {
  return Math.round(hours * 60);
}

/** Hours paid by timesheet, by others before we began too: what `notifier period --compare` reads. */
export function* listPaid(book: Book): Generator<{ readonly timesheetId: string; readonly hours: number }> {
  for (const [key, { opening, payments }] of book) {
    const minutes = payments.reduce((sum, each) => sum + each.minutes, opening?.minutes ?? 0);
    if (minutes !== 0) yield { timesheetId: key.slice(key.lastIndexOf('/') + 1), hours: minutes / 60 };
  }
}
