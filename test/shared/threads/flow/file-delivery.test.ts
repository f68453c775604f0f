import { beforeEach, describe, expect, test } from 'vitest';
import type { FileJob } from '#shared/alerts/alert.ts';
import { ChatDeliverer } from '#shared/alerts/flow/deliver-chat.ts';
import type { ChatAnswer } from '#shared/alerts/flow/paced-chat.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/names/names.ts';
import type { CsvFile } from '#shared/statements/statement-csv.ts';
import { composeFor } from '#shared/threads/compose-threads.ts';
import { FileDelivery } from '#shared/threads/flow/file-delivery.ts';
import { CHANNEL, compose, tell } from '#test/shared/threads/sample-threads.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { FakeSlackChannel } from '#test/support/fake-slack-channel.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

/** Files of a closed pay period, from the queue of a channel into the thread of its message. */

const NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([
    ['2001_7', '=HYPERLINK("https://x.example")'],
    ['2002_7', 'Lee, "Ana"'],
  ]),
  departments: new Map([['501_7', '@Kitchen']]),
};
const HEAD =
  '"timesheetId","date","employeeId","employee","departmentId","department","hoursToPay","approved","payrollApproved","processed","leftOver","difference"';
const CONNECTION = { name: 'main', timeZone: 'Pacific/Auckland' };

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});

describe('the files of a pay period', () => {
  test('stand in its thread: what to pay, and what is left over, in local time', async () => {
    await stage.deliver();
    const [upload] = stage.uploads;
    expect(upload).toMatchObject({
      threadTs: '100.1',
      comment: expect.stringMatching(/^What to pay now, and what is left over/),
    });
    expect(upload?.files.map(({ name }) => name)).toEqual(['3_7-pay.csv', '3_7-left-over.csv']);
    expect(linesOf(upload?.files)).toEqual([
      [HEAD, '"2_7","2026-03-05","2002_7","","501_7","",7.5,"2026-03-06 14:00","","2026-03-09 14:30","",""'],
      [
        HEAD,
        '"1_7","2026-03-05","2001_7","","501_7","",7.5,"2026-03-06 14:00","","","not processed",""',
        '"3_7","2026-03-05","2003_7","","501_7","",7.5,"","","","not approved; not processed",""',
      ],
    ]);
  });

  test('have names where the channel may show them, and never a formula', async () => {
    await stage.deliver({ names: ['employees', 'departments'] });
    const [pay = [], left = []] = linesOf(stage.uploads[0]?.files);
    expect(pay[1]).toBe(
      `"2_7","2026-03-05","2002_7","Lee, ""Ana""","501_7","'@Kitchen",7.5,"2026-03-06 14:00","","2026-03-09 14:30","",""`,
    );
    expect(left[1]).toContain(`,"2001_7","'=HYPERLINK(""https://x.example"")","501_7","'@Kitchen",`);
  });

  test('have no row of somebody who was forgotten since', async () => {
    for (const id of ['1_7', '3_7']) stage.harness.remove(id);
    await stage.pollTimesheets();
    await stage.deliver();
    expect(stage.uploads[0]?.files.map(({ text }) => text).join('')).not.toMatch(/2001_7|2003_7/);
  });

  test('are sent once, and say what changed since the closing', async () => {
    stage.harness.change({ hoursToPay: 8 }, ['1_7']);
    await stage.pollTimesheets();
    await stage.deliver();
    expect(await stage.deliver()).toEqual([]);
    expect(stage.uploads).toHaveLength(1);
    expect(linesOf(stage.uploads[0]?.files)[1]?.[1]).toMatch(
      /,8,"2026-03-06 14:00","","","not processed; changed 7.5 to 8 h",0.5$/,
    );
  });
});

describe('what fails', () => {
  test('comes back by the queue, and holds up no message', async () => {
    stage.answers = [{ outcome: 'later', afterMs: null, reason: 'http_503' }];
    expect(await stage.deliver({ withMessage: true })).toEqual(['files']);
    expect(stage.slack.posts).toHaveLength(1);
    expect(await stage.deliver()).toEqual([]);
    expect(stage.uploads).toHaveLength(2);
  });

  test('waits for its message', async () => {
    const waiting = await Stage.open({ posted: false });
    expect(await waiting.deliver()).toEqual(['files']);
    expect(waiting.uploads).toEqual([]);
  });

  test('for good goes to the dead letters, whose alarm sounds', async () => {
    stage.answers = [{ outcome: 'refused', reason: 'missing_scope' }];
    expect(await stage.deliver()).toEqual([]);
    expect(stage.deadLetters).toEqual(['files']);
  });

  test('to fit: the thread says how to have them', async () => {
    const { store } = stage.harness;
    const { loadHeads } = store;
    store.loadHeads = async (feed, from) =>
      (await loadHeads(feed, from)).map((head) => ({ ...head, recordCount: 20_000 }));
    await stage.deliver();
    expect(stage.uploads).toEqual([]);
    expect(stage.texts).toEqual([
      'Too many timesheets for files here: `notifier statement 3_7 --csv <folder>` writes them.',
    ]);
  });
});

test('of a period that is too large the message itself says so', () => {
  const closed = tell('pay_period.closed', { values: { files: { timesheets: 60_000 } } });
  const [message] = composeFor({ ...CHANNEL, files: true }, [closed]).flatMap(
    ({ message: each }) => each ?? [],
  );
  expect(message?.lines.at(-1)).toBe(
    'Its 60,000 timesheets are too many for files here: `notifier statement 3_4711 --csv <folder>` writes them.',
  );
});

function linesOf(files: readonly CsvFile[] = []): string[][] {
  return files.map(({ text }) =>
    text
      .replace(/^\ufeff/, '')
      .split('\r\n')
      .slice(0, -1),
  );
}

interface Upload {
  readonly files: readonly CsvFile[];
  readonly threadTs: string | null;
  readonly comment: string;
}

/** A week that closed with one timesheet that is paid, one that is not processed and one that is not approved. */
class Stage {
  readonly slack = new FakeSlackChannel();
  readonly uploads: Upload[] = [];
  readonly texts: string[] = [];
  readonly deadLetters: string[] = [];
  answers: ChatAnswer[] = [];
  readonly harness: PollHarness;
  readonly #ledger = createMemoryDeliveryLedger();
  readonly #threads = createMemoryThreadStore();
  #message = '';
  #after = '';

  private constructor(harness: PollHarness) {
    this.harness = harness;
  }

  static async open({ posted = true } = {}): Promise<Stage> {
    const harness = new PollHarness({
      connection: { timeZone: CONNECTION.timeZone, window: { backDays: 10, forwardDays: 3 } },
      startAt: '2026-03-09T01:00:00Z',
    });
    let closed: string | null = null;
    harness.payPeriods = () => [payPeriod({ closed })];
    const approved = { approvedHours: '2026-03-06T01:00:00.000Z' };
    harness.put(
      timesheet({ id: '1_7', employeeId: '2001_7', ...approved }),
      timesheet({ id: '2_7', employeeId: '2002_7', ...approved, processed: '2026-03-09T01:30:00.000Z' }),
      timesheet({ id: '3_7', employeeId: '2003_7' }),
    );
    const stage = new Stage(harness);
    await stage.pollTimesheets();
    await harness.poll({ feed: 'pay-periods' });
    closed = '2026-03-09';
    for (let round = 0; round < 3; round += 1) {
      await harness.poll({ feed: 'pay-periods' });
      await stage.pollTimesheets();
    }
    const [message] = compose(tell('pay_period.closed'));
    stage.#message = JSON.stringify(message);
    stage.#after = message?.id ?? '';
    if (posted) await stage.deliver({ withMessage: true, withFiles: false });
    return stage;
  }

  async pollTimesheets(): Promise<void> {
    await this.harness.poll({ scope: 'window' });
  }

  /** Returns what comes back. */
  async deliver({
    names = [],
    withMessage = false,
    withFiles = true,
  }: {
    readonly names?: readonly NamedKind[];
    readonly withMessage?: boolean;
    readonly withFiles?: boolean;
  } = {}): Promise<readonly string[]> {
    const clock = { now: () => this.harness.now };
    const telemetry = { report: () => {} };
    const common = { clock, telemetry };
    const files = new FileDelivery(
      {
        ...common,
        slack: { upload: async (sent, place) => this.#take({ files: sent, ...place }) },
        bot: {
          post: async (payload) => {
            this.texts.push((payload as { readonly text: string }).text);
            return { outcome: 'taken', ts: '9.9', threadTs: null };
          },
        },
        threads: this.#threads,
        store: this.harness.store,
        directory: { load: async () => NAMES },
      },
      { channel: 'payroll', names, connections: [{ ...CONNECTION, name: this.harness.connection.name }] },
    );
    const deliverer = new ChatDeliverer(
      { kind: 'slack', channel: 'payroll', retentionDays: 90 },
      {
        ...common,
        chat: { post: async () => ({ outcome: 'taken' }) },
        threads: { bot: this.slack.bot, store: this.#threads },
        files,
        deadLetters: { giveUp: async ({ id }) => void this.deadLetters.push(id) },
        ledger: this.#ledger,
        sleep: async (milliseconds) => {
          this.harness.now += milliseconds;
        },
      },
    );
    const job: FileJob = {
      id: `${this.#after}-files`,
      after: this.#after,
      topic: 'period#main#3_4711',
      period: { connection: this.harness.connection.name, payPeriodId: '3_7', timesheets: 3 },
    };
    const messages = [
      ...(withFiles ? [{ id: 'files', body: JSON.stringify(job), attributes: {} }] : []),
      ...(withMessage ? [{ id: 'message', body: this.#message, attributes: {} }] : []),
    ];
    return (await deliverer.deliver({ messages, deadline: this.harness.now + 60_000 })).failed;
  }

  #take(upload: Upload): ChatAnswer {
    this.uploads.push(upload);
    return this.answers.shift() ?? { outcome: 'taken' };
  }
}
