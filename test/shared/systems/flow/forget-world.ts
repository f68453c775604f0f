import { createAlertStore, createRevertedHours } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createPersonEraser } from '#shared/adapters/dynamo/person-eraser.ts';
import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { alertingSchema } from '#shared/config/schema/people.ts';
import { PRESETS } from '#shared/core/definitions/event-definition.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { releaseAlerts } from '#shared/people/flow/release-alerts.ts';
import { findEmployee } from '#shared/systems/flow/find-employee.ts';
import { type ForgetPorts, type ForgetReport, forgetEmployee } from '#shared/systems/flow/forget-employee.ts';
import { DAY_MS, payPeriod, timesheet } from '#test/support/builders.ts';
import {
  type EmbeddedDynamo,
  readItems,
  restoreItems,
  startEmbeddedDynamo,
} from '#test/support/embedded-dynamo.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { readTableTexts } from '#test/support/table-texts.ts';

/** The id and the name of the person to forget, and hours that nobody else has. */
export const CANARY = '99077713_7';
export const NAME = 'Quill Canary';
export const TRACE = new RegExp(`${CANARY}|canary|7\\.13|71300`, 'i');
/** Timesheets of the person: two that stay in the source until their dates are left, and one that is removed. */
export const KEPT = ['9001_7', '9002_7'];
export const REMOVED = '9003_7';

const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-08' };
const STAMP = '2026-03-05T00:30:00.000Z';
const STARTED_AT = Date.parse('2026-03-05T00:00:00.000Z');
/** Each day of it is a request of each look into the log. */
const RETENTION_MS = 20 * DAY_MS;
/** After so many days the dates of the timesheets are out of the window. */
export const AWAY_DAYS = 14;
/** A company of three in virtual time, as the notifier stored it in an embedded DynamoDB. */
export class ForgetWorld {
  readonly dynamo: EmbeddedDynamo;
  readonly harness: PollHarness<SnapshotStore>;
  #collected = 0;
  /** When the pay period of the timesheets was closed. */
  #closed: string | null = null;
  /** The table when it had lived. */
  #items: Awaited<ReturnType<typeof readItems>> = [];

  private constructor(dynamo: EmbeddedDynamo) {
    this.dynamo = dynamo;
    this.harness = new PollHarness<SnapshotStore>({
      store: createDynamoSnapshotStore(toTable(dynamo)),
      connection: {
        window: { backDays: 7, forwardDays: 1 },
        absences: { clockInMinutes: 15 },
      },
    });
  }

  /** Starts it with everything stored of the person that can be, the dates of the timesheets still in the window. */
  static async live(): Promise<ForgetWorld> {
    const world = new ForgetWorld(await startEmbeddedDynamo());
    await world.#live();
    world.#items = await readItems(world.dynamo);
    return world;
  }

  /** The same as it was when it had lived, in its table, for a test that changes it. One at a time. */
  async again(): Promise<ForgetWorld> {
    await restoreItems(this.dynamo, this.#items);
    const world = new ForgetWorld(this.dynamo);
    world.#listSource();
    world.harness.resume(this.harness);
    world.#collected = this.#collected;
    world.#closed = this.#closed;
    return world;
  }

  async stop(): Promise<void> {
    await this.dynamo.stop();
  }

  async #live(): Promise<void> {
    const { harness } = this;
    this.#listSource();
    this.list({ managers: [NAME, ''] });
    await this.look();
    this.list({ own: ['501_7'], managers: [CANARY, NAME] });
    await this.look();
    this.list({ own: ['502_7'], managers: [CANARY, NAME] });
    const own = { employeeId: CANARY, hoursToPay: 7.13 };
    harness.put(
      ...['1001_7', '1002_7'].map((id) => timesheet({ id })),
      timesheet({ id: KEPT[0], ...own, date: '2026-03-04' }),
      ...[KEPT[1], REMOVED].map((id) => timesheet({ id, ...own })),
    );
    await this.look();
    harness.change({ approvedHours: STAMP }, [KEPT[0] ?? '', '1001_7']);
    await this.look();
    harness.change({ processed: STAMP }, [KEPT[0] ?? '', '1001_7']);
    await this.look();
    await this.deliver();
    harness.change({ processed: null }, [KEPT[0] ?? '']);
    await this.look();
    await this.deliver();
    harness.remove(REMOVED);
    await this.look();
    this.#closed = '2026-03-05';
    for (let polls = 0; polls < 3; polls += 1) await this.look();
    this.list({ own: null, managers: [CANARY, NAME] });
    for (let polls = 0; polls < 2; polls += 1) await this.look();
    await this.deliver({ isSlackDown: true });
    this.list({ own: ['501_7'], managers: [NAME, CANARY] });
    await this.look();
    this.list({ own: null, managers: [NAME, CANARY] });
    harness.change({ hoursToPay: 7.13, startTime: '2026-03-04T21:00:00.000Z' }, KEPT);
    harness.change({ startTime: '2026-03-04T21:00:00.000Z' }, ['1002_7']);
    await this.look();
  }

  /** Pay periods of the source, and the timesheets that it counts to one of them. */
  #listSource(): void {
    const { harness } = this;
    harness.payPeriods = () => [
      payPeriod({ id: '3_7', calendar: 'Weekly', ...WEEK, closed: this.#closed, ...UNTOTALLED }),
      payPeriod({ id: '4_7', calendar: 'Fortnightly', ...WEEK, finishDate: '2026-03-15', ...UNTOTALLED }),
    ];
    harness.members = (employeeId, periodId) =>
      periodId === '3_7'
        ? harness.timesheets.filter((each) => each.employeeId === employeeId).map(({ id }) => id)
        : [];
  }

  /** The directory of the source: of the person the departments (null: unreadable), and managers of two departments. */
  list({ own, managers }: { readonly own?: readonly string[] | null; readonly managers: readonly string[] }) {
    const { directory } = this.harness;
    const listed: [string, readonly string[] | null][] = [['2001_7', ['501_7']]];
    if (own !== undefined) listed.push([CANARY, own]);
    directory.employees = listed.map(([id, departments]) => ({
      id,
      ...(id === CANARY
        ? { firstNames: 'Quill', lastName: 'Canary' }
        : { firstNames: 'Ana', lastName: 'Lee' }),
      contractedHours: departments?.map((each) => ({ department: { id: each } })) ?? 'unreadable',
    }));
    directory.departments = managers.map((manager, index) => ({
      id: `50${index + 1}_7`,
      name: `Place ${index}`,
      manager,
    }));
  }

  /** All feeds are polled whole, and people's alerts collected. */
  async look(): Promise<void> {
    await this.harness.poll({ scope: 'window' });
    for (const feed of ['pay-periods', 'employees', 'departments'] as const)
      await this.harness.poll({ feed });
    const texts = this.harness.texts.slice(this.#collected);
    this.#collected = this.harness.texts.length;
    await collectAlerts(
      texts.map((body, place) => ({ id: String(place), body, attributes: {} })),
      SETTINGS,
      {
        ...{
          alertStore: this.alerts,
          store: this.harness.store,
          names: createNameReader(this.harness.store),
        },
        revertedHours: createRevertedHours(toTable(this.dynamo)),
        clock: { now: () => this.harness.now },
        telemetry: { report: () => {} },
      },
    );
  }

  /** What waits goes out; while Slack is down, it stays sealed. */
  async deliver({ isSlackDown = false } = {}): Promise<void> {
    const { harness } = this;
    harness.now += 2 * 60_000;
    const release = releaseAlerts({ checkedAt: harness.now } as never, SETTINGS, {
      alertStore: this.alerts,
      clock: { now: () => harness.now },
      telemetry: { report: () => {} },
      sender: {
        send: () => (isSlackDown ? Promise.reject(new Error('Slack is down')) : Promise.resolve()),
      },
    });
    await release.catch(() => {});
    const ledger = createDeliveryLedger(toTable(this.dynamo));
    const expiresAt = harness.now + RETENTION_MS;
    for (const { id } of harness.published)
      await ledger.save(
        { eventId: id, destination: 'webhook/w', outcome: 'failed', at: 0, attempts: 3, detail: '503' },
        expiresAt,
      );
  }

  /** The dates of the timesheets leave the window, and what the source lists of the person with them. */
  async leaveDates(): Promise<void> {
    this.harness.now += AWAY_DAYS * DAY_MS;
    for (const id of KEPT) this.harness.remove(id);
    this.list({ managers: ['2001_7', ''] });
    await this.look();
  }

  get alerts() {
    return createAlertStore({
      ...toTable(this.dynamo),
      destinations: new Map([['payroll', 'slack/payroll']]),
    });
  }

  get ports(): ForgetPorts {
    const table = toTable(this.dynamo);
    return {
      store: this.harness.store,
      log: createEventLog(table),
      eraser: createPersonEraser(table),
      clock: { now: () => this.harness.now },
    };
  }

  /** The eraser of a process that is killed after so many items. */
  eraserUntil(items: number): ForgetPorts['eraser'] {
    const { client, tableName } = this.dynamo;
    return createPersonEraser(toTable({ client: dieAfter(client, items), tableName }));
  }

  async forget(ports: Partial<ForgetPorts> = {}, employeeId = CANARY): Promise<ForgetReport> {
    const all = { ...this.ports, ...ports };
    runs += 1;
    const name = employeeId === CANARY ? NAME : undefined;
    const request = {
      connection: 'main',
      employeeId,
      name,
      retentionMs: RETENTION_MS,
      runId: `forget-${runs}`,
    };
    return await forgetEmployee(await findEmployee(request, all), request, all);
  }

  /** Every item of the table as text, with what is packed or compressed in it, by its keys. */
  async scan(): Promise<Map<string, string>> {
    return await readTableTexts(this.dynamo);
  }

  /** Keys of the items in which something of the person is found, or of the timesheets where `trace` says so. */
  async findTraces(trace: RegExp = TRACE): Promise<string[]> {
    const items = await this.scan();
    return [...items].filter(([key, text]) => trace.test(key) || trace.test(text)).map(([key]) => key);
  }

  /** Events of the log, in their order. */
  async readLog() {
    const texts: string[] = [];
    for (const feed of FEED_NAMES)
      for await (const batch of this.ports.log.read(
        { connection: 'main', feed },
        { from: STARTED_AT, to: this.harness.now + DAY_MS },
      ))
        texts.push(...batch.texts);
    return texts;
  }
}

let runs = 0;
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const SETTINGS = {
  retentionDays: 90,
  alerting: alertingSchema.parse({
    connections: [{ name: 'main', timeZone: 'UTC' }],
    names: ['employees', 'departments'],
    channels: [{ kind: 'slack', name: 'payroll', secretName: 's', channelId: 'C0123456789', tells: PRESETS }],
    recordUrl: 'https://workforce.example.com/{employeeId}/{timesheetId}',
  }),
};

function toTable({ client, tableName }: Pick<EmbeddedDynamo, 'client' | 'tableName'>) {
  return { client, tableName, sleep: async () => {}, random: () => 0 };
}

/** A client that is killed after so many writes. */
function dieAfter(client: EmbeddedDynamo['client'], writes: number): EmbeddedDynamo['client'] {
  let left = writes;
  return new Proxy(client, {
    get: (target, name) => {
      if (name !== 'send') return Reflect.get(target, name);
      return async (command: never) => {
        const isWrite = /^(?:Put|Delete)/.test((command as object).constructor.name);
        if (isWrite && left === 0) throw new Error('killed');
        if (isWrite) left -= 1;
        return await target.send(command);
      };
    },
  });
}
