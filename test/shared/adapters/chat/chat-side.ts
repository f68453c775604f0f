import { createFetchClient } from '#test/support/fetch-client.ts';

/** When every answer comes. */
const NOW = Date.parse('2026-11-16T00:00:00.000Z');

/** Slack or Teams behind a client, and a secret: each request gets the next answer, each read the next secret, and the last one from then on. */
export function createChatSide(answers: readonly (Response | Error)[], secrets: readonly (string | Error)[]) {
  const requests: Request[] = [];
  const reads: boolean[] = [];
  const client = createFetchClient(
    async (request) => {
      const next = answers[requests.length] ?? new Error('nobody expected this request');
      requests.push(request);
      if (next instanceof Error) throw next;
      return next;
    },
    () => NOW,
  );
  const readSecret = async ({ fresh }: { readonly fresh: boolean }) => {
    const secret = secrets[Math.min(reads.length, secrets.length - 1)] ?? '';
    reads.push(fresh);
    if (secret instanceof Error) throw secret;
    return secret;
  };
  return { requests, reads, options: { secretName: 'slack/payroll', readSecret, client } };
}

export function answer(
  status: number,
  said: string | object,
  headers: Record<string, string> = {},
): Response {
  return new Response(typeof said === 'string' ? said : JSON.stringify(said), { status, headers });
}

export const TAKEN = { outcome: 'taken' };

export function later(reason: string, afterMs: number | null = null) {
  return { outcome: 'later', afterMs, reason };
}

export function refused(reason: string) {
  return { outcome: 'refused', reason };
}
