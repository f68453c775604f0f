import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import type { RunOptions } from '../options.ts';
import type { Notes } from '../output/notes.ts';
import type { Machine } from './machine.ts';
import type { RedirectedWebhook } from './redirect.ts';

interface Greeting {
  readonly options: RunOptions;
  readonly folder: DataFolder;
  readonly notes: Notes;
}

/** Says what a run works with. */
export function greet(
  { aws, source, webhooks, polling }: Machine,
  { options, folder, notes }: Greeting,
): void {
  if (options.source.kind === 'emulator' && options.mode.kind === 'schedules') {
    const { speed } = options.source;
    notes.say(`a sample company at ${source.baseUrl}, ${speed} times as fast as real time; Ctrl-C to stop`);
  }
  // The sample company has no secrets.
  if (options.source.kind === 'remote' && aws.exposure !== null) notes.say(`open to others: ${aws.exposure}`);
  const [other] = polling.leftOut;
  if (other !== undefined) {
    const command = `npm start -- --connection ${other} --data .data-${other}`;
    notes.say(
      `polls ${polling.connection.name} alone, not ${polling.leftOut.join(', ')}; to poll ${other}: ${command}`,
    );
  }
  for (const webhook of options.webhook === null ? [] : webhooks) {
    const { name, address } = webhook;
    notes.say(`webhook ${name} goes to ${address}, signed with ${describeSecret(webhook)}`);
  }
  if (folder.fresh) notes.progress('installing the baseline: the first poll is stored without events');
}

/** Shows only a secret that was generated: one given by the user must not appear on a terminal or in a log. */
function describeSecret({ secret, origin }: RedirectedWebhook): string {
  return origin === 'made' ? secret : 'your secret';
}
