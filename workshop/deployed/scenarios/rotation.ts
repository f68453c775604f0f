import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { steer } from '#test/support/steer.ts';
import { serveInvocations } from '../invoke-endpoint.ts';
import { pollAll } from '../notifiers/notifier.ts';
import type { Report } from '../report.ts';
import { secretOf } from '../world/everything.ts';
import { SIGNING_SECRET } from '../world/world.ts';
import { expectEqual } from './expectations.ts';
import { connectCommands, type Life, liveOutDay, startAnew } from './living.ts';

const CONNECTION = 'main';
const WEBHOOK = 'payroll-system';
const NEW_SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'rotated').toString('base64')}`;
/** Less than a function keeps the token of a source, and more. */
const [SOON, LATER] = [5, 20];
const UNAUTHORISED = 401;

/** Secrets are rotated as `docs/operating.md` says, and before: nothing is refused that arrives. */
export async function runRotation(report: Report, life: Life): Promise<void> {
  await report.run('rotate a token', () => rotateToken(life));
  await report.run('rotate a signing secret', () => rotateSigningSecret(life));
}

/** First with the old one revoked too early, then in the order of the document. */
async function rotateToken(life: Life): Promise<string> {
  const { companies, sourceOf } = life.world;
  const source = sourceOf(CONNECTION);
  const { token: first, tokens } = source;
  const since = companies.now();
  const second = `${first}-rotated`;
  const poll = async (minutes: number) => {
    await companies.advance(minutes);
    await steer(source, 'requests', { method: 'DELETE' });
    // Throws unless each poll is complete.
    await pollAll(life.deployed);
    const requests = (await (await steer(source, 'requests')).json()) as { status: number }[];
    if (requests.length === 0) throw new Error('nothing was requested');
    return requests.filter(({ status }) => status === UNAUTHORISED).length;
  };
  tokens.accept(second);
  tokens.revoke(first);
  await putSecret(life, secretOf(CONNECTION), second);
  const early = await poll(SOON);
  if (early === 0) throw new Error('no function held the old token any more');

  tokens.accept(first);
  await putSecret(life, secretOf(CONNECTION), first);
  expectEqual(await poll(SOON), 0, 'requests refused while both tokens are valid');
  expectEqual(await poll(LATER), 0, 'requests refused after a quarter of an hour');
  tokens.revoke(second);
  expectEqual(await poll(SOON), 0, 'requests refused after the old token was revoked');
  await liveOutDay(life, since);
  return `revoked too early: ${early} requests refused, and polls complete; as documented: none refused`;
}

async function rotateSigningSecret(life: Life): Promise<string> {
  const { receiver } = life.world;
  const secretName = secretOf(`webhooks-${WEBHOOK}`);
  const refused = receiver.refused.length;
  const endpoint = await serveInvocations(life.deployed.invoke, life.aws);
  const deliver = async () => {
    const command = ['send-example', 'timesheet.approved', '--to', `webhooks/${WEBHOOK}`];
    await connectCommands(life, endpoint).notifier(command);
    await life.deployed.settle();
    const arrived = (await life.deployed.take()).get(`webhook ${WEBHOOK}`) ?? [];
    expectEqual(arrived.length, 1, 'deliveries');
    expectEqual(receiver.refused.length, refused, 'requests whose signature did not hold');
  };
  try {
    const both = { current: NEW_SIGNING_SECRET, previous: SIGNING_SECRET };
    await putSecret(life, secretName, JSON.stringify(both));
    await startAnew(life);
    await deliver();
    receiver.trust(WEBHOOK, NEW_SIGNING_SECRET);
    await deliver();
    await putSecret(life, secretName, NEW_SIGNING_SECRET);
    await startAnew(life);
    await deliver();
  } finally {
    await endpoint.stop();
  }
  return 'accepted by a receiver with the old secret, by one with the new, and with the new one alone';
}

async function putSecret({ aws }: Life, SecretId: string, SecretString: string): Promise<void> {
  await aws.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
}
