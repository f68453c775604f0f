import type { Gate } from './gate.ts';
import { isOfCode, type Statement } from './permissions.ts';

/** What a function of a kind may do, and does not do on every day. */
const RARE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  poll: {
    // Only buckets that became empty are deleted, and dates that left the window.
    UseTable: 'dynamodb:DeleteItem',
    // No poll is followed by another one, which would come in between.
    SendMessages: 'sqs:SendMessage',
  },
  // Only events that were published half an hour to an hour ago are looked up.
  'check-deliveries': { ReadDeliveries: 'dynamodb:BatchGetItem' },
  // To dead letters: nobody refuses a message for good.
  'deliver-chat': { SendMessages: 'sqs:SendMessage' },
  'deliver-webhook': {
    // What is tried again, and what is given up.
    SendMessages: 'sqs:SendMessage',
    // A webhook that was disabled is told of, and noted until its address changes.
    PublishEvents: 'sns:Publish',
    Note: 'dynamodb:DeleteItem',
  },
};

/**
 * Compares what functions did with what their roles let their code do. Throws when something was refused, or is granted
 * and never used.
 */
export function checkUsed(
  { used, refused }: Pick<Gate, 'used' | 'refused'>,
  permissions: ReadonlyMap<string, readonly Statement[]>,
  stackName: string,
): string {
  const granted = [...permissions].flatMap(([name, statements]) =>
    statements
      .filter(isOfCode)
      .flatMap(({ Sid = '', Action }) => [Action].flat().map((action) => ({ name, sid: Sid, action }))),
  );
  const unused = granted.filter(({ name, sid, action }) => used.get(name)?.has(`${sid} ${action}`) !== true);
  const unexplained = unused.filter(
    ({ name, sid, action }) => RARE[nameKind(name, stackName)]?.[sid] !== action,
  );
  const faults = [
    ...new Set(refused),
    ...unexplained.map(({ name, sid, action }) => `${name} may ${action} by ${sid} and never does`),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return `${granted.length} actions granted to code, ${granted.length - unused.length} of them used, none refused`;
}

/** Each webhook and each channel of Slack or Teams has a function of its own, of the same code. */
function nameKind(functionName: string, stackName: string): string {
  const name = functionName.slice(stackName.length + 1);
  if (name.startsWith('webhook-')) return 'deliver-webhook';
  return /^(?:slack|teams)-/.test(name) ? 'deliver-chat' : name;
}
