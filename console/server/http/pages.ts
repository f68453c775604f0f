import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import * as z from 'zod';
import { deliveriesQuerySchema, resendSchema } from '#console/answers/deliveries.ts';
import { type Line, lineFilterSchema } from '#console/answers/lines.ts';
import { periodCsvQuerySchema, periodQuerySchema } from '#console/answers/periods.ts';
import { recordQuerySchema } from '#console/answers/record.ts';
import { showDeliveries } from '#console/pages/deliveries.ts';
import { type Frame, showStatus } from '#console/pages/layout.ts';
import { showFound, showNow } from '#console/pages/now.ts';
import { type Html, toAddress } from '#console/pages/parts.ts';
import { showPeriod, showPeriods } from '#console/pages/periods.ts';
import { showPerson } from '#console/pages/person.ts';
import { showRecord } from '#console/pages/record.ts';
import { showRows } from '#console/pages/rows.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { readDeliveries, resendEvent } from '../deliveries/read-deliveries.ts';
import { find } from '../find.ts';
import { createNowTest, nowQuerySchema, readNow } from '../lines/read-now.ts';
import { streamLines } from '../lines/stream-lines.ts';
import type { Opened, OpenedOnDemand } from '../opened.ts';
import { readPerson } from '../people/read-person.ts';
import { readPeriod, readPeriodCsv } from '../periods/read-period.ts';
import { readRecord } from '../records/read-record.ts';
import { readStatus } from '../status.ts';

interface PageOptions {
  /** The folder of all pages. */
  readonly place: string;
  readonly target: OpenedOnDemand;
}

/** How long the checks are waited for before the page is shown without them. */
const HEALTH_WITHIN_MS = 2_000;
/** Of a page that stays as it was read: after so much real time it says so. */
const OLD_AFTER_MS = 60_000;

/** The pages of whoever has the session. */
export function createPages(options: PageOptions): Hono {
  const pages = new Hono();
  pages.get('/', (context) => context.redirect(`${options.place}now`));
  addNow(pages, options);
  addRecords(pages, options);
  addPeriods(pages, options);
  addDeliveries(pages, options);
  return pages;
}

function addNow(pages: Hono, options: PageOptions): void {
  pages.get('/now', async (context) => {
    const query = nowQuerySchema.parse(readQuery(context));
    return await show(context, options, async (opened, frame) => {
      const view = await readNow(query, opened.context);
      const { day, before, ...filter } = query;
      const follows = day === undefined && before === undefined;
      const stream = toAddress('stream', { ...filter, after: view.lines[0]?.key });
      return showNow(view, follows ? { ...frame, stream } : frame);
    });
  });
  pages.get('/find', async (context) => {
    const { q } = z.object({ q: z.string().max(200).default('') }).parse(context.req.query());
    const found = await options.target.use((opened) => find(q, opened.context));
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return context.redirect(options.place + only.to, 303);
    return await show(context, options, async (_, frame) => showFound(q, found, frame));
  });
  pages.get('/stream', (context) => streamPage(context, options));
}

const streamQuerySchema = lineFilterSchema.extend({
  after: z.string().max(300).optional(),
  /** Of a page that gets no rows: its address, and when it was read. */
  page: z.string().max(2_000).optional(),
  read: z.coerce.number().optional(),
});

async function streamPage(context: Context, { target }: PageOptions): Promise<Response> {
  const { after = null, page, read, ...filter } = streamQuerySchema.parse(readQuery(context));
  const opened = await target.use(async (each) => each);
  const load = () => readStatus(opened.context, opened.follower.trouble());
  const { speed } = opened.context.target;
  return streamLines(context, {
    opened,
    after,
    isWanted: read === undefined ? createNowTest(filter) : null,
    renderLines: async (lines: readonly Line[], isGrouped: boolean) => {
      const rows = showRows(lines.toReversed(), await load(), isGrouped);
      return String(await html`${rows}`);
    },
    renderStatus: async () => {
      const status = await load();
      const isOld = read !== undefined && status.now - read > OLD_AFTER_MS * speed;
      return String(await showStatus(status, isOld ? { address: page ?? '', read } : undefined));
    },
  });
}

function addRecords(pages: Hono, options: PageOptions): void {
  pages.get('/records/:id', async (context) => {
    const query = recordQuerySchema.parse({ ...context.req.query(), id: context.req.param('id') });
    return await show(context, options, async (opened, frame) =>
      showRecord(query.id, await readRecord(query, opened.context), frame),
    );
  });
  pages.get('/people/:connection/:id', async (context) => {
    const place = periodQuerySchema.parse(context.req.param());
    return await show(context, options, async (opened, frame) =>
      showPerson(place, await readPerson(place, opened.context), frame),
    );
  });
}

function addPeriods(pages: Hono, options: PageOptions): void {
  pages.get('/periods', (context) =>
    show(context, options, async (opened, frame) => showPeriods(await opened.periods(), frame)),
  );
  pages.get('/periods/:id', async (context) => {
    const { id } = context.req.param();
    return await show(context, options, async (opened, frame) => {
      const query = periodQuerySchema.parse({ connection: nameOnly(opened), ...context.req.query(), id });
      return showPeriod(await readPeriod(query, opened.context), frame);
    });
  });
  pages.get('/periods/:id/:file{(pay|left-over)\\.csv}', async (context) => {
    const { id, file } = context.req.param();
    const query = periodCsvQuerySchema.parse({ ...context.req.query(), id, file: file.replace('.csv', '') });
    const { name, text } = await options.target.use((opened) => readPeriodCsv(query, opened.context));
    return context.body(text, 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  });
}

function nameOnly({ context: { target } }: Opened): string | undefined {
  return target.connections.length === 1 ? target.connections[0]?.name : undefined;
}

const deliveriesPageSchema = deliveriesQuerySchema.extend({
  examine: z.literal('again').optional(),
  sent: z.literal('yes').optional(),
});

function addDeliveries(pages: Hono, options: PageOptions): void {
  pages.get('/deliveries', async (context) => {
    const { examine, sent, ...query } = deliveriesPageSchema.parse(readQuery(context));
    return await show(context, options, async (opened, frame) => {
      const [health, answer] = await Promise.all([
        within(HEALTH_WITHIN_MS, opened.doctor(examine === 'again')),
        readDeliveries(query, opened.context),
      ]);
      const { allowsWrites } = opened.context;
      return showDeliveries({ query, answer, health, allowsWrites, wasSent: sent !== undefined }, frame);
    });
  });
  pages.post('/resend', async (context) => {
    const request = resendSchema.parse(await context.req.parseBody());
    await options.target.use((opened) => resendEvent(request, opened.context));
    const address = toAddress('deliveries', { to: request.receiver, outcome: 'failed', sent: 'yes' });
    return context.redirect(options.place + address, 303);
  });
}

/** Null when it takes longer. Its failure is one of the page. */
async function within<Answer>(milliseconds: number, answer: Promise<Answer>): Promise<Answer | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), milliseconds);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A page of what the target says now. */
async function show(
  context: Context,
  { place, target }: PageOptions,
  render: (opened: Opened, frame: Frame) => Promise<Html>,
): Promise<Response> {
  const page = await target.use(
    async (opened) => await render(opened, await createFrame(context, place, opened)),
  );
  return context.html(page);
}

async function createFrame(context: Context, place: string, opened: Opened): Promise<Frame> {
  const { target } = opened.context;
  const { pathname, search } = new URL(context.req.url);
  const address = `${pathname.slice(place.length)}${search}`;
  const status = await readStatus(opened.context, opened.follower.trouble());
  const stream = toAddress('stream', { page: address, read: String(status.now) });
  return { place, address, status, stream, about: target.title };
}

/** What a form sends of a choice that is not made is not there. */
function readQuery(context: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(context.req.query()).filter(([, value]) => value !== ''));
}

/** What is wrong with a request, for whoever made it. */
export function isWrongRequest(error: Error): boolean {
  return error instanceof z.ZodError || error instanceof NotifierError;
}
