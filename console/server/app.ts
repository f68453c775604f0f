import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import { coverageAnswerSchema, doctorAnswerSchema } from '#console/routes/coverage.ts';
import {
  deliveriesAnswerSchema,
  deliveriesQuerySchema,
  resendAnswerSchema,
  resendSchema,
} from '#console/routes/deliveries.ts';
import { findAnswerSchema, findQuerySchema } from '#console/routes/find.ts';
import {
  eventAnswerSchema,
  eventPlaceSchema,
  linesAnswerSchema,
  linesQuerySchema,
  streamQuerySchema,
} from '#console/routes/lines.ts';
import { overviewSchema } from '#console/routes/overview.ts';
import { PATHS } from '#console/routes/paths.ts';
import {
  periodAnswerSchema,
  periodCsvQuerySchema,
  periodQuerySchema,
  periodsAnswerSchema,
} from '#console/routes/periods.ts';
import { personAnswerSchema, personQuerySchema } from '#console/routes/person.ts';
import { recordAnswerSchema, recordQuerySchema } from '#console/routes/record.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { ConsoleContext } from './context.ts';
import { createDoctor, readCoverage } from './covered-dates/read-coverage.ts';
import { readDeliveries, readEvent, resendEvents } from './deliveries/read-deliveries.ts';
import { findSuggestions } from './find.ts';
import type { Access } from './http/access.ts';
import { sendPageFile } from './http/page-files.ts';
import { createLineTest, listLines } from './lines/list-lines.ts';
import { createLogFollower, type LogFollower } from './lines/log-follower.ts';
import { streamLines } from './lines/stream-lines.ts';
import { readOverview } from './overview.ts';
import { readPerson } from './people/read-person.ts';
import { readPeriod, readPeriodCsv } from './periods/read-period.ts';
import { createPeriodReader } from './periods/read-periods.ts';
import { explainRecord } from './records/explain-record.ts';
import { rememberFor } from './remember.ts';

export interface AppOptions {
  /** Opens the target when the first page asks for it. */
  readonly open: () => Promise<ConsoleContext>;
  readonly access: Access;
}

export interface ConsoleApp {
  readonly hono: Hono;
  stop(): void;
}

interface Opened {
  readonly context: ConsoleContext;
  readonly follower: LogFollower;
  readonly doctor: ReturnType<typeof createDoctor>;
  readonly periods: ReturnType<typeof createPeriodReader>;
}

/** The routes of the console. */
export function createConsoleApp({ open, access }: AppOptions): ConsoleApp {
  let opening: Promise<Opened> | null = null;
  // A target that cannot be opened now may be there later.
  const load = rememberFor(Number.POSITIVE_INFINITY, () => {
    opening = openParts(open);
    return opening;
  });
  const hono = new Hono();
  hono.use(setSecurityHeaders, access.guard);
  hono.onError((error, context) => {
    const known = error instanceof NotifierError || isWrongRequest(error);
    const code = error instanceof NotifierError ? error.code : 'failed';
    return context.json({ error: code, message: error.message }, known ? 400 : 500);
  });
  hono.post(PATHS.session, access.enter);
  addLineRoutes(hono, load);
  addRecordRoutes(hono, load);
  addOperationRoutes(hono, load);
  hono.get('/page.js', (context) => sendPageFile(context, 'script'));
  hono.get('/page.css', (context) => sendPageFile(context, 'style'));
  hono.get('/icon.svg', (context) => sendPageFile(context, 'icon'));
  hono.get('/api/*', (context) => context.json({ error: 'unknown' }, 404));
  // Every other address is a screen of the page.
  hono.get('*', (context) => sendPageFile(context, 'html'));
  return {
    hono,
    stop: () => void opening?.then(({ follower }) => follower.stop()).catch(() => {}),
  };
}

async function openParts(open: AppOptions['open']): Promise<Opened> {
  const context = await open();
  return {
    context,
    follower: createLogFollower(context),
    doctor: createDoctor(context),
    periods: createPeriodReader(context),
  };
}

type Load = () => Promise<Opened>;

function addLineRoutes(hono: Hono, load: Load): void {
  hono.get(PATHS.overview, async (context) => {
    const opened = await load();
    return answer(context, overviewSchema, await readOverview(opened.context, opened.follower.trouble()));
  });
  hono.get(PATHS.events, async (context) => {
    const { before, limit, ...filter } = linesQuerySchema.parse(context.req.query());
    const opened = await load();
    // Before the log is read: what comes meanwhile is in the stream.
    const position = await opened.follower.touch();
    const isWanted = createLineTest(filter);
    const listed = await listLines(opened.context, { before: before ?? null, limit, isWanted });
    return answer(context, linesAnswerSchema, { ...listed, lines: [...listed.lines], position });
  });
  hono.get(PATHS.stream, async (context) => {
    const { after, ...filter } = streamQuerySchema.parse(context.req.query());
    const opened = await load();
    return streamLines(context, {
      ...opened,
      after: context.req.header('last-event-id') ?? after ?? null,
      isWanted: createLineTest(filter),
    });
  });
}

function addRecordRoutes(hono: Hono, load: Load): void {
  hono.get(PATHS.find, async (context) => {
    const { q } = findQuerySchema.parse(context.req.query());
    return answer(context, findAnswerSchema, await findSuggestions(q, (await load()).context));
  });
  hono.get(PATHS.person, async (context) => {
    const query = personQuerySchema.parse(context.req.query());
    return answer(context, personAnswerSchema, await readPerson(query, (await load()).context));
  });
  hono.get(PATHS.record, async (context) => {
    const query = recordQuerySchema.parse(context.req.query());
    return answer(context, recordAnswerSchema, await explainRecord(query, (await load()).context));
  });
  hono.get(PATHS.event, async (context) => {
    const place = eventPlaceSchema.parse(context.req.query());
    return answer(context, eventAnswerSchema, await readEvent(place, (await load()).context));
  });
  hono.get(PATHS.periods, async (context) => {
    const { periods } = await load();
    return answer(context, periodsAnswerSchema, await periods());
  });
  hono.get(PATHS.period, async (context) => {
    const query = periodQuerySchema.parse(context.req.query());
    return answer(context, periodAnswerSchema, await readPeriod(query, (await load()).context));
  });
  hono.get(PATHS.periodCsv, async (context) => {
    const query = periodCsvQuerySchema.parse(context.req.query());
    const { name, text } = await readPeriodCsv(query, (await load()).context);
    return context.body(text, 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${encodeURIComponent(name)}"`,
    });
  });
}

function addOperationRoutes(hono: Hono, load: Load): void {
  hono.get(PATHS.deliveries, async (context) => {
    const query = deliveriesQuerySchema.parse(context.req.query());
    return answer(context, deliveriesAnswerSchema, await readDeliveries(query, (await load()).context));
  });
  hono.post(PATHS.resend, async (context) => {
    const request = resendSchema.parse(await context.req.json());
    return answer(context, resendAnswerSchema, await resendEvents(request, (await load()).context));
  });
  hono.get(PATHS.coverage, async (context) => {
    return answer(context, coverageAnswerSchema, await readCoverage((await load()).context));
  });
  hono.get(PATHS.doctor, async (context) => {
    const { doctor } = await load();
    return answer(context, doctorAnswerSchema, await doctor(context.req.query('again') === 'yes'));
  });
}

/** Sends what the contract allows, as it is: the order of its members counts where it is copied. */
function answer<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  value: z.input<Schema>,
): Response {
  schema.parse(value);
  return context.json(value as object);
}

/** A query or body that the schemas refuse. */
function isWrongRequest(error: Error): boolean {
  return error.name === 'ZodError' || error instanceof SyntaxError;
}

/** Nothing inline, nothing from elsewhere, and no text that becomes HTML. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const setSecurityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
};
