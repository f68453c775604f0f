import { expect, test } from 'vitest';
import type { Machine } from '#local/run/session/machine.ts';
import { openRecipients } from '#local/run/session/recipients.ts';

const never = new AbortController().signal;

/** A machine that is busy for so many looks. */
function openBusy(looks: { readonly collecting: number; readonly delivering: number }) {
  const did: string[] = [];
  const left = { ...looks };
  const idle = (chosen: (name: string) => boolean) => {
    const what = chosen('x-slack') ? 'delivering' : 'collecting';
    did.push(what);
    left[what] -= 1;
    return left[what] < 0;
  };
  const deployment = { functions: [{ name: 'x-collect-alerts' }, { name: 'x-slack' }] };
  const aws = { deployment, idle, backlog: () => [] };
  const machine = { aws, polling: { functionName: 'poll' }, mails: [], tellsPeople: true };
  const jobs = { releaseAll: async () => void did.push('release') };
  const recipients = openRecipients({ machine: machine as unknown as Machine, jobs, show: async () => {} });
  return { recipients, did };
}

test('alerts are released once all are collected, and the run waits until they are delivered', async () => {
  const { recipients, did } = openBusy({ collecting: 2, delivering: 1 });
  await recipients.drain(never);
  expect(did).toEqual(['collecting', 'collecting', 'collecting', 'release', 'delivering', 'delivering']);
});

test('a stop request ends it at once', async () => {
  const { recipients, did } = openBusy({ collecting: 2, delivering: 1 });
  await recipients.drain(AbortSignal.abort());
  expect(did).toEqual([]);
});
