import type { AddressInfo } from 'node:net';
import { openInbox } from './inbox.ts';
import { createReceiver } from './receiver.ts';

const { WEBHOOK_SECRET, WEBHOOK_PREVIOUS_SECRET, INBOX = ':memory:', PORT = '3000' } = process.env;
if (WEBHOOK_SECRET === undefined) {
  process.stderr.write('set WEBHOOK_SECRET to the signing secret of the webhook, whsec_...\n');
  process.exit(1);
}

const inbox = openInbox(INBOX);
const server = createReceiver({
  secrets: [WEBHOOK_SECRET, ...(WEBHOOK_PREVIOUS_SECRET ? [WEBHOOK_PREVIOUS_SECRET] : [])],
  inbox,
  work: ({ event }) => process.stdout.write(`${event.type} ${event.subject ?? ''} ${event.sequence}\n`),
  // For tests on this machine. Leave it off in production.
  tellStates: true,
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}/hook\n`);
});
