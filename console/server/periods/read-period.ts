import type { PeriodAnswer, PeriodCsvQuery, PeriodQuery } from '#console/answers/periods.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { buildCsvFiles, type CsvFile } from '#shared/period/csv.ts';
import { readPeriod as readStored } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import { describeDetails } from './describe-period.ts';
import { openPeriodSource } from './read-periods.ts';

/** One pay period with what it is made of. Throws a `NotifierError` (`period_unknown`). */
export async function readPeriod(query: PeriodQuery, context: ConsoleContext): Promise<PeriodAnswer> {
  const known = await context.knowledge.load(query.connection);
  const reading = await findPeriod(query, context);
  return describeDetails(reading, known, context);
}

/** A file as `notifier period --csv` writes it. */
export async function readPeriodCsv(
  { file, ...query }: PeriodCsvQuery,
  context: ConsoleContext,
): Promise<CsvFile> {
  const [pay, leftOver] = buildCsvFiles(
    await findPeriod(query, context),
    await context.knowledge.load(query.connection),
  );
  return file === 'pay' ? pay : leftOver;
}

async function findPeriod({ id, connection }: PeriodQuery, context: ConsoleContext): Promise<PeriodReading> {
  const reading = await readStored(id, findConnection(context, connection), openPeriodSource(context));
  if (reading !== null) return reading;
  throw new NotifierError('period_unknown', `no pay period ${JSON.stringify(id)} of ${connection} is stored`);
}
