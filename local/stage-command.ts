import { Argument, Command } from 'commander';
import * as z from 'zod';
import { findErrorCode, NotifierError } from '#shared/core/errors.ts';
import { MACHINE_STOPPED } from '#shared/operator/target.ts';
import { numberBetween } from '#shared/terminal/options.ts';
import { escapeUnprintable, print, printJson } from '#shared/terminal/output.ts';
import { readAnnouncement } from './aws/engines/announcement.ts';
import { findDataFolder } from './aws/engines/data-folder.ts';
import { SCENES, type Scene } from './source/scenes.ts';

const TIMEOUT_MS = 15_000;
const MAX_MINUTES = 1_440;

const doneSchema = z.object({ says: z.string(), records: z.array(z.string()), at: z.string() });
const refusedSchema = z.object({ message: z.string() });

const HELP = `
late-change    a timesheet changes after its pay period was closed
reopen         the last closed pay period is reopened
bulk-approve   many timesheets are approved at once
source-outage  the source answers 503 for a while, then recovers

It works on the sample company of a running npm start, whose polls then see it
as any other change.

Examples:
  $ npm run notifier -- stage late-change
  $ npm run notifier -- stage source-outage --minutes 20 --data .data`;

interface StageFlags {
  readonly data: string;
  readonly minutes?: number;
  readonly json?: true;
}

export function stageCommand(): Command {
  return new Command('stage')
    .summary('make the sample company do something now')
    .description('Makes the sample company of a running `npm start` do something now.')
    .addArgument(new Argument('<scene>', 'what happens').choices(SCENES))
    .option(
      '--minutes <number>',
      'how long an outage lasts, in simulated minutes (default: 15)',
      numberBetween(1, MAX_MINUTES),
    )
    .option('--data <folder>', 'the data folder of that `npm start`', '.data')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(scene: Scene, { data, minutes, json }: StageFlags): Promise<void> {
  if (minutes !== undefined && scene !== 'source-outage') {
    throw new NotifierError(
      'options_wrong',
      `--minutes is ${minutes}, and only source-outage lasts; leave it out for ${scene}`,
    );
  }
  const done = await stage({ scene, ...(minutes === undefined ? {} : { minutes }) }, data);
  if (json === true) printJson(JSON.stringify({ scene, ...done }));
  else print(`${escapeUnprintable(done.says)}; npm start tells of it after its next polls`);
}

/** Asks the sample company of a machine. Throws a `NotifierError`. */
async function stage(request: object, data: string): Promise<z.output<typeof doneSchema>> {
  const response = await post(findCompany(data), request, data);
  const body: unknown = await response.json();
  if (response.ok) return doneSchema.parse(body);
  const { message } = refusedSchema.parse(body);
  throw new NotifierError('stage_refused', `nothing was changed: ${message}`);
}

async function post({ baseUrl, token }: SampleCompany, request: object, data: string): Promise<Response> {
  try {
    return await fetch(`${baseUrl}/control/stage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    // A machine that was killed leaves its announcement behind.
    throw createStoppedError(data, findErrorCode(cause));
  }
}

interface SampleCompany {
  readonly baseUrl: string;
  readonly token: string;
}

/** The sample company of a machine. Throws a `NotifierError` when there is none. */
function findCompany(data: string): SampleCompany {
  const machine = readAnnouncement(findDataFolder(data));
  if (machine === null) throw createStoppedError(data, 'it is stopped or still starting');
  // Only the sample company has a simulated clock.
  const { connection, companyToken } = machine;
  if (machine.clock !== null) return { baseUrl: connection.baseUrl, token: companyToken ?? '' };
  throw new NotifierError(
    'source_real',
    `npm start polls ${machine.connection.baseUrl} there, and only the sample company can be staged; run npm start without --base-url, with another --data`,
  );
}

function createStoppedError(data: string, reason: string): NotifierError {
  return new NotifierError(
    MACHINE_STOPPED,
    `npm start is not running on the data folder ${data} (${reason}); start it with npm start -- --data ${data}, then try again`,
  );
}
