import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import { system } from '#shared/adapters/system/system.ts';
import type { Timesheet, TimesheetPage, WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';
import { addDays, parseInstant, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { findSmallerSize } from '#shared/core/look/page-size.ts';
import { createConnectionClients } from '#shared/operator/connection-clients.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { createOptionsError } from '#shared/terminal/options.ts';
import { escapeUnprintable, print } from '#shared/terminal/output.ts';
import { readSecret, TOKEN_VARIABLE } from '#shared/terminal/read-secret.ts';
import { type ConfigAnswers, renderConfig, STACK_NAME, UNANSWERED } from '../init/render-config.ts';

const FILE = 'notifier.config.ts';
const TIMEOUT_MS = 60_000;

const HELP = `
Three requests: pay periods, departments, and the timesheets of the last two
weeks. What is read of people is not written. A time zone is not in the source;
where its clocks do not agree with the one given, that is said.

Examples:
  $ npm run notifier -- init --base-url https://workforce.example.com --time-zone Pacific/Auckland`;

interface InitFlags {
  readonly baseUrl: string;
  readonly timeZone: string;
}

export function initCommand(): Command {
  return new Command('init')
    .summary(`ask your source, and write ${FILE}`)
    .description(`Asks your source what a config needs to know, and writes ${FILE}.`)
    .requiredOption(
      '--base-url <url>',
      `address of the source, such as https://workforce.example.com; its token is in ${TOKEN_VARIABLE}, or asked for on a terminal`,
    )
    .requiredOption('--time-zone <zone>', 'IANA time zone of its dates, such as Pacific/Auckland')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(flags: InitFlags): Promise<void> {
  refuseToOverwrite();
  const connection = readConnection(flags);
  const token = await readSecret(TOKEN_VARIABLE, 'a token of the source', { environment: process.env });
  if (token === undefined || token === '')
    throw createOptionsError(`there is no token of the source; put it into ${TOKEN_VARIABLE}`);
  const clients = createConnectionClients(connection, { readSecret: () => async () => token, system });
  const now = system.now();
  const today = toLocalDate(now, connection.timeZone);
  const facts = await readSource(clients(now + TIMEOUT_MS), today).catch(adviseOnToken);
  const { clocks, ...known } = facts;
  const answers = { ...known, ...flags };
  replaceFile(resolve(FILE), renderConfig(answers));
  report(answers, clocks);
}

function refuseToOverwrite(): void {
  const path = resolve(FILE);
  if (!existsSync(path) || readFileSync(path, 'utf8') === renderConfig(UNANSWERED)) return;
  throw new NotifierError(
    'config_exists',
    `${FILE} is not as init writes it, and init would write over it; move it away`,
  );
}

/** The connection as it is asked, with the defaults of the config. Throws a `NotifierError` that names the option. */
function readConnection({ baseUrl, timeZone }: InitFlags): Connection {
  const problem = timeZoneSchema.safeParse(timeZone).error?.issues[0]?.message;
  if (problem !== undefined) throw createOptionsError(`--time-zone cannot be used: ${problem}`);
  if (isPlainHttp(baseUrl))
    throw createOptionsError(
      `--base-url is http, which shows the token to the network; use https, or write ${FILE} yourself, with allowHttp`,
    );
  const parsed = connectionSchema.safeParse({
    name: 'main',
    baseUrl,
    timeZone,
    secretName: STACK_NAME,
  });
  if (parsed.success) return parsed.data;
  throw createOptionsError(`--base-url cannot be used: ${parsed.error.issues[0]?.message}`);
}

function report(answers: ConfigAnswers, clocks: readonly ClockSample[]): void {
  const { baseUrl, calendars, departments, pageSize, timeZone } = answers;
  print(
    `${FILE} is written: ${formatCount(calendars.length, 'pay calendar')}, ${formatCount(departments.length, 'department')}, pages of ${pageSize ?? 'as many records as asked for'}.`,
    ...(fitsZone(clocks, timeZone)
      ? []
      : [`The clocks of the source do not agree with ${timeZone}: check the time zone.`]),
    ...calendars.map(
      (name) =>
        `When do periods of ${escapeUnprintable(name)} close? Say it in the file, and people are reminded.`,
    ),
    'Where does one open a timesheet? Say it as links.recordUrl in the file, and messages link to it.',
    '',
    'Next:',
    `  ${TOKEN_VARIABLE}=... npm start -- --base-url ${baseUrl}    # watch it on this machine`,
    `  aws ssm put-parameter --type SecureString --name /secrets/${STACK_NAME}/main --value 'THE_TOKEN'`,
    '  npx cdk bootstrap && npx cdk deploy',
  );
}

/** Large enough that a source shows its own bound. */
const ASKED_PAGE_SIZE = 1_000;
const SAMPLE_DAYS = 14;
const MAX_DEPARTMENTS = 100;
const MINUTE_MS = 60_000;
/** Somebody clocks in early or late; zones differ by half an hour at least. */
const PUNCTUALITY_MS = 14 * MINUTE_MS;
/** Share of clockings that must fit a zone: some are entered by hand. */
const FITTING_SHARE = 0.8;

/** A clock-in: when it was planned or varied to, and what the clock on the wall showed. */
interface ClockSample {
  /** Milliseconds since 1970. */
  readonly plannedAt: number;
  readonly varianceMs: number;
  /** Date and time without a zone. */
  readonly localTime: string;
}

/** What a source says about itself. Nothing in it is about a person. */
interface SourceFacts extends Omit<ConfigAnswers, 'baseUrl' | 'timeZone'> {
  readonly clocks: readonly ClockSample[];
}

/** Three requests: pay periods, departments, and the timesheets of the last two weeks. Throws `SourceError`. */
async function readSource(api: WorkforceApi, today: string): Promise<SourceFacts> {
  const payPeriods = await api.listPayPeriods();
  const departments = await ifPermitted(() => api.listDepartments());
  const dates = { dateFrom: addDays(today, -SAMPLE_DAYS), dateTo: today };
  const { data, pagination } = await readFirstPage(api, dates, ASKED_PAGE_SIZE);
  return {
    calendars: [...new Set(payPeriods.map(({ calendar }) => calendar))].sort(),
    departments: departments.slice(0, MAX_DEPARTMENTS).map(({ id, name }) => ({ id, name })),
    // A short list shows no bound.
    pageSize: pagination.pageSize < ASKED_PAGE_SIZE && pagination.totalPages > 1 ? pagination.pageSize : null,
    clocks: data.flatMap(readClock),
  };
}

/** Page 1 in the largest size that the source gives. */
async function readFirstPage(
  api: WorkforceApi,
  dates: { readonly dateFrom: string; readonly dateTo: string },
  size: number | null,
): Promise<TimesheetPage> {
  try {
    return await api.listTimesheets({ ...dates, page: 1, pageSize: size ?? undefined });
  } catch (error) {
    const smaller = error instanceof SourceError ? findSmallerSize(size, error) : undefined;
    if (smaller === undefined) throw error;
    return await readFirstPage(api, dates, smaller);
  }
}

/** No secret is there yet, which the message of a poll names. */
function adviseOnToken(error: unknown): never {
  if (!(error instanceof SourceError) || (error.status !== 401 && error.status !== 403)) throw error;
  const [what = ''] = error.message.split(';');
  const mend = `put a token that may read it into ${TOKEN_VARIABLE}`;
  throw new NotifierError(error.code, `${what}; ${mend}`, { cause: error });
}

/** A token may be refused some lists. */
async function ifPermitted<T>(list: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof SourceError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}

function readClock({ clockIn, startTime }: Timesheet): ClockSample[] {
  const localTime = clockIn?.localTime ?? '';
  // A time with an offset says nothing about the zone of those without.
  if (clockIn === null || localTime === '' || /(?:Z|[+-]\d\d:?\d\d)$/i.test(localTime)) return [];
  return [{ plannedAt: Date.parse(startTime), varianceMs: clockIn.variance * MINUTE_MS, localTime }];
}

/** Whether the clocks of the source show the time of a zone, as far as there are any: a wrong one puts timesheets on wrong days. */
function fitsZone(clocks: readonly ClockSample[], timeZone: string): boolean {
  const fitting = clocks.filter(({ plannedAt, varianceMs, localTime }) => {
    const at = parseInstant(localTime, timeZone);
    return at !== null && Math.abs(at - plannedAt) <= Math.abs(varianceMs) + PUNCTUALITY_MS;
  });
  return fitting.length >= clocks.length * FITTING_SHARE;
}
