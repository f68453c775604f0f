import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Target } from '#shared/operator/target.ts';
import { createConsoleContext } from '../context.ts';
import { createMcpServer } from './mcp-server.ts';

/**
 * Answers an assistant on standard input and output until that ends. It is a program of the same person, started by the
 * assistant, and reads with that person's own credentials. Throws what opening the target throws.
 */
export async function serveMcp(openTarget: () => Promise<Target>): Promise<void> {
  const target = await openTarget();
  const context = createConsoleContext(target, { names: target.config.mcp.names });
  const ended = Promise.withResolvers<void>();
  // Standard output is the assistant's.
  process.stderr.write('waiting for an assistant on standard input; Ctrl-C to stop\n');
  const running = serveStdio(() => createMcpServer(context), {
    onerror: ({ message }) => process.stderr.write(`${message}\n`),
  });
  process.stdin.once('close', ended.resolve);
  try {
    await ended.promise;
  } finally {
    await running.close();
    await target.close();
  }
}
