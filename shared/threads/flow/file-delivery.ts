import type { FileJob } from '#shared/alerts/alert.ts';
import type { ChatAnswer } from '#shared/alerts/flow/paced-chat.ts';
import { formatAt } from '#shared/core/messages/moments.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import { type Language, languageOf } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import type { NameStore } from '#shared/names/flow/refresh-names.ts';
import { filterNames, type NamedKind, type Names } from '#shared/names/names.ts';
import { readSheets } from '#shared/statements/flow/read-sheets.ts';
import type { StatementStore } from '#shared/statements/flow/stored-account.ts';
import type { CsvFile } from '#shared/statements/statement-csv.ts';
import type { SlackBot, ThreadStore } from './thread-heads.ts';

/** Sends files to a Slack channel. Never throws for what the other side or the network does. */
export interface SlackFiles {
  /** All of them in one reply, or, with null, in one message of the channel. */
  upload(
    files: readonly CsvFile[],
    place: { readonly threadTs: string | null; readonly comment: string },
  ): Promise<ChatAnswer>;
}

export interface FilePorts {
  readonly slack: SlackFiles;
  readonly bot: Pick<SlackBot, 'post'>;
  readonly threads: Pick<ThreadStore, 'load'>;
  readonly store: StatementStore;
  readonly directory: Pick<NameStore, 'load'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface FileSettings {
  /** Name of the channel, for the log. */
  readonly channel: string;
  /** Kinds of names that it may show. */
  readonly names: readonly NamedKind[];
  readonly connections: readonly { readonly name: string; readonly timeZone: string }[];
  /** English without it. */
  readonly language?: Language | undefined;
}

/** Time that is left for the upload once the timesheets are read. */
const UPLOAD_MS = 25_000;

/** Sends what to pay of a pay period, and what is left over, into the thread of the message about it. */
export class FileDelivery {
  readonly #ports: FilePorts;
  readonly #settings: FileSettings;

  constructor(ports: FilePorts, settings: FileSettings) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** `later`: it is tried again by its queue. */
  async send(job: FileJob, deadline: number): Promise<ChatAnswer> {
    const { clock, telemetry } = this.#ports;
    const startedAt = clock.now();
    const answer = await this.#attempt(job, deadline);
    telemetry.report({
      outcome: 'files.attempted',
      channel: this.#settings.channel,
      messageId: job.id,
      result: answer.outcome,
      reason: answer.outcome === 'taken' ? null : answer.reason,
      duration_ms: clock.now() - startedAt,
    });
    return answer;
  }

  async #attempt({ topic, period }: FileJob, deadline: number): Promise<ChatAnswer> {
    const { clock, threads, store, directory, slack, bot } = this.#ports;
    const { connection, payPeriodId } = period;
    const zone = this.#settings.connections.find(({ name }) => name === connection)?.timeZone;
    if (zone === undefined) return { outcome: 'refused', reason: 'connection_unknown' };
    const names = filterNames(this.#settings.names, await this.#loadNames(connection, directory));
    const hasTimeLeft = () => clock.now() + UPLOAD_MS < deadline;
    const source = { connection, store, hasTimeLeft, now: clock.now() };
    const { language } = this.#settings;
    const { sheets: words } = languageOf(this.#settings);
    const sheets = await readSheets(payPeriodId, { names, timeZone: zone, language }, source);
    const threadTs = topic === null ? null : ((await threads.load(topic))?.thread.ts ?? null);
    switch (sheets) {
      case 'later':
        return { outcome: 'later', afterMs: null, reason: 'not_read' };
      case 'unknown':
        return { outcome: 'refused', reason: 'period_unknown' };
      case 'too_large': {
        const text = say(words.tooMany, { command: `notifier statement ${payPeriodId} --csv <folder>` });
        return await bot.post({ text }, { threadTs, isShownInChannel: false });
      }
      default: {
        const at = formatAt(clock.now(), { timeZone: zone, day: null, year: null, language });
        const { files, doubts } = sheets;
        const comment = `${[say(words.comment, { at, zone }), ...doubts].join('; ')}.`;
        return await slack.upload(files, { threadTs, comment });
      }
    }
  }

  async #loadNames(connection: string, directory: Pick<NameStore, 'load'>): Promise<Names> {
    return await directory.load(connection, this.#settings.names);
  }
}
