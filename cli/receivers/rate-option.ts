import { type Command, InvalidArgumentError } from 'commander';
import { REPLAY_RATE } from '#shared/config/requests/replay-request.ts';

/** Events per second of what is sent to receivers. */
export function addRateOption(command: Command): Command {
  return command.option(
    '--rate <number>',
    `events per second, from ${REPLAY_RATE.min} to ${REPLAY_RATE.max} (default: ${REPLAY_RATE.default})`,
    parseRate,
  );
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (Number.isFinite(rate) && rate >= REPLAY_RATE.min && rate <= REPLAY_RATE.max) return rate;
  throw new InvalidArgumentError(`use a number from ${REPLAY_RATE.min} to ${REPLAY_RATE.max}`);
}
