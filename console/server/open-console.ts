import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { CONSOLE_PORT } from '#console/routes/paths.ts';
import type { Target } from '#shared/operator/target.ts';
import { createConsoleApp } from './app.ts';
import { type ConsoleContext, createConsoleContext } from './context.ts';
import { createAccess } from './http/access.ts';
import { openPollLog } from './poll-log.ts';

export interface OpenConsoleOptions {
  /** Default: one that is the same each time, or a free one when that is taken. */
  readonly port?: number;
  /** Sends events again also in AWS. */
  readonly allowWrites?: boolean;
  /** Opens the page in the browser. */
  readonly inBrowser?: boolean;
  /** Opens the target when the first page asks for it; otherwise at once, to say what is wrong with it. */
  readonly isLazy?: boolean;
}

/** Serves the console of a target, and closes that in the end. Throws a `NotifierError`. */
export async function openTargetConsole(
  openTarget: () => Promise<Target>,
  { port, allowWrites = false, inBrowser = false, isLazy = false }: OpenConsoleOptions = {},
): Promise<RunningConsole> {
  let target: Target | null = isLazy ? null : await openTarget();
  const open = async () => {
    target ??= await openTarget();
    const { functionsLog } = target;
    const pollLog = functionsLog === undefined ? null : openPollLog(functionsLog);
    return createConsoleContext(target, { pollLog, allowWrites });
  };
  try {
    const running = await startConsole({ open, port });
    if (inBrowser) openInBrowser(running.address);
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

/** How each system opens an address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser. Where that is not possible, the address is printed anyway. */
function openInBrowser(address: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
