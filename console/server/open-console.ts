import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { deliveriesAnswerSchema, deliveriesQuerySchema, resendSchema } from '#console/routes/deliveries.ts';
import { doctorAnswerSchema } from '#console/routes/doctor.ts';
import { findAnswerSchema, findQuerySchema } from '#console/routes/find.ts';
import {
  eventAnswerSchema,
  eventPlaceSchema,
  lineFilterSchema,
  linesAnswerSchema,
  linesQuerySchema,
} from '#console/routes/lines.ts';
import { overviewSchema } from '#console/routes/overview.ts';
import { CONSOLE_PORT, PATHS } from '#console/routes/paths.ts';
import {
  periodAnswerSchema,
  periodCsvQuerySchema,
  periodQuerySchema,
  periodsAnswerSchema,
} from '#console/routes/periods.ts';
import { personAnswerSchema, personQuerySchema } from '#console/routes/person.ts';
import { recordAnswerSchema, recordQuerySchema } from '#console/routes/record.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '#shared/operator/target.ts';
import { type ConsoleContext, createConsoleContext } from './context.ts';
import { readDeliveries, readEvent, resendEvent } from './deliveries/read-deliveries.ts';
import { createDoctor } from './doctor.ts';
import { findSuggestions } from './find.ts';
import { type Access, createAccess } from './http/access.ts';
import { sendPageFile } from './http/page-files.ts';
import { createLineTest, listLines } from './lines/list-lines.ts';
import { LogFollower } from './lines/log-follower.ts';
import { streamLines } from './lines/stream-lines.ts';
import { readOverview } from './overview.ts';
import { readPerson } from './people/read-person.ts';
import { readPeriod, readPeriodCsv } from './periods/read-period.ts';
import { createPeriodReader } from './periods/read-periods.ts';
import { readRecord } from './records/read-record.ts';
import { rememberFor } from './remember.ts';

export interface OpenConsoleOptions {
  /** Sends events again also in AWS. */
  readonly allowWrites?: boolean;
  /** Opens the target when the first page asks for it; otherwise at once, to say what is wrong with it. */
  readonly isLazy?: boolean;
}

/** Serves the console of a target, and closes that in the end. Throws a `NotifierError`. */
export async function openTargetConsole(
  openTarget: () => Promise<Target>,
  { allowWrites = false, isLazy = false }: OpenConsoleOptions = {},
): Promise<RunningConsole> {
  let target: Target | null = isLazy ? null : await openTarget();
  const open = async () => {
    target ??= await openTarget();
    return createConsoleContext(target, { allowWrites });
  };
  try {
    const running = await startConsole({ open });
    return {
      ...running,
      stop: async () => {
        await running.stop();
        await target?.close();
      },
    };
  } catch (error) {
    await target?.close();
    throw error;
  }
}

const HOST = '127.0.0.1';

interface ConsoleOptions {
  /** Opens the target when the first page asks for it. */
  readonly open: () => Promise<ConsoleContext>;
  /** Default: `CONSOLE_PORT`, or a free one when that is taken. */
  readonly port?: number | undefined;
  /** Milliseconds since 1970; default: real time. */
  readonly now?: (() => number) | undefined;
}

export interface RunningConsole {
  /** With the one-time token. */
  readonly address: string;
  /** Without it. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves the console on this machine alone. Settles once it listens. Throws when a port that was asked for is taken. */
export async function startConsole({ open, port, now = Date.now }: ConsoleOptions): Promise<RunningConsole> {
  let handle: ReturnType<typeof getRequestListener> | null = null;
  const server = createServer((request, response) => void handle?.(request, response));
  const taken = await listen(server, port);
  const access = createAccess({ port: taken, now });
  const app = createConsoleApp({ open, access });
  handle = getRequestListener(app.hono.fetch);
  const origin = `http://${HOST}:${taken}`;
  return {
    // A fragment: it is in no log of a server, and in no `Referer`.
    address: `${origin}/#token=${access.token}`,
    origin,
    stop: async () => {
      app.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server, port: number | undefined): Promise<number> {
  const tryPort = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
  if (port !== undefined) await tryPort(port);
  else await tryPort(CONSOLE_PORT).catch(() => tryPort(0));
  return (server.address() as AddressInfo).port;
}

interface AppOptions {
  /** Opens the target when the first page asks for it. */
  readonly open: () => Promise<ConsoleContext>;
  readonly access: Access;
}

interface ConsoleApp {
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
function createConsoleApp({ open, access }: AppOptions): ConsoleApp {
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
    const message = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
    return context.json({ error: code, message }, known ? 400 : 500);
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
    follower: new LogFollower(context),
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
    const { before = null, limit, ...filter } = linesQuerySchema.parse(context.req.query());
    const isWanted = createLineTest(filter);
    const listed = await listLines((await load()).context, { before, limit, isWanted });
    return answer(context, linesAnswerSchema, { ...listed, lines: [...listed.lines] });
  });
  hono.get(PATHS.stream, async (context) => {
    const isWanted = createLineTest(lineFilterSchema.parse(context.req.query()));
    return streamLines(context, { ...(await load()), isWanted });
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
    return answer(context, recordAnswerSchema, await readRecord(query, (await load()).context));
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
      'Content-Disposition': `attachment; filename="${name}"`,
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
    await resendEvent(request, (await load()).context);
    return context.body(null, 204);
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
  return error instanceof z.ZodError || error instanceof SyntaxError;
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
