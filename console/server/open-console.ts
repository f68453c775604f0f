import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { showEntry, showFailure } from '#console/pages/layout.ts';
import type { Target } from '#shared/operator/target.ts';
import { type ConsoleContext, createConsoleContext } from './context.ts';
import { type Access, createAccess } from './http/access.ts';
import { addAssets } from './http/assets.ts';
import { setSecurityHeaders } from './http/headers.ts';
import { createPages, isWrongRequest } from './http/pages.ts';
import { type OpenedOnDemand, openOnDemand } from './opened.ts';
import { sayTrouble } from './trouble.ts';

/** Where the console listens unless the port is taken. */
const CONSOLE_PORT = 4600;
const HOST = '127.0.0.1';

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
  let isUsed = false;
  const open = async () => {
    // It is asked for again when the run that it read from has ended.
    if (isUsed) await target?.close();
    if (isUsed) target = null;
    target ??= await openTarget();
    isUsed = true;
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

interface ConsoleOptions {
  /** Opens the target when the first page asks for it, and again when it cannot be read any more. */
  readonly open: () => Promise<ConsoleContext>;
  /** Default: `CONSOLE_PORT`, or a free one when that is taken. */
  readonly port?: number | undefined;
  /** Milliseconds since 1970; default: real time. */
  readonly now?: (() => number) | undefined;
}

export interface RunningConsole {
  /** With a one-time token. */
  readonly address: string;
  /** The address with another token, which takes the place of the one before. */
  renewAddress(): string;
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
  const target = openOnDemand(open);
  handle = getRequestListener(createConsoleApp(access, target).fetch);
  const origin = `http://${HOST}:${taken}`;
  // A fragment: it is in no log of a server, and in no `Referer`.
  const renewAddress = () => `${origin}/#token=${access.issueToken()}`;
  return {
    address: renewAddress(),
    renewAddress,
    origin,
    stop: async () => {
      target.stop();
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

/** Pages below the place of the session, which only its browser gets; elsewhere a page without data that leads there. */
function createConsoleApp(access: Access, target: OpenedOnDemand): Hono {
  const { place } = access;
  const hono = new Hono();
  hono.use(setSecurityHeaders, access.guard);
  // Only whoever has the session may know the place.
  const placeFor = (context: Context) => (access.isOpen(context) ? place : '/');
  hono.onError((error, context) => {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : sayTrouble(error);
    return context.html(showFailure(message, placeFor(context)), isWrongRequest(error) ? 400 : 500);
  });
  hono.notFound((context) =>
    context.html(showFailure('Nothing is at this address.', placeFor(context)), 404),
  );
  addAssets(hono);
  hono.post('/session', access.enter);
  // The place of another session looks alike.
  hono.use('/:place{~[\\w-]+}/*', async (context, next) => {
    const isOwn = context.req.path.startsWith(place) && access.isOpen(context);
    return isOwn ? await next() : context.html(showEntry('ended'), 401);
  });
  hono.route(place, createPages({ place, target }));
  hono.get('/', (context) => context.html(showEntry('opening')));
  hono.get('/:screen{now|find|periods|deliveries|records|people}/*', (context) =>
    context.html(showEntry('opening')),
  );
  return hono;
}
