import type { History } from '../history.ts';
import { judgeDelivered, judgeToldPeople } from '../oracle/deliveries.ts';
import type { Violation } from '../oracle/evidence.ts';
import { judgeNight } from '../oracle/night.ts';
import { Random } from '../random.ts';
import { deliver } from './delivered.ts';
import { tellAtNight } from './night.ts';
import { tellPeople } from './people.ts';

/** Deliveries of the events of a history. */
export interface Downstream {
  readonly violations: readonly Violation[];
  /** Events that an endpoint accepted, attempts that it refused, events given up, alerts, and messages to a quiet channel. */
  readonly counts: Readonly<Record<'taken' | 'refusals' | 'givenUp' | 'told' | 'atNight', number>>;
}

/** A separate stream of random numbers for the same seed. */
const OWN_STREAM = 0x1656_67b1;

/** Delivers the published events of a history and checks the deliveries; null for histories without deliveries. */
export async function judgeDownstream(history: History): Promise<Downstream | null> {
  if (!history.breadth.delivered) return null;
  const random = new Random(history.seed ^ OWN_STREAM);
  const delivered = await deliver(history.journal, random.fork());
  const told = await tellPeople(history.journal, history.settings, random.fork());
  const night = await tellAtNight(history);
  return {
    violations: [
      ...judgeDelivered(history, delivered),
      ...judgeToldPeople(history, told),
      ...judgeNight(history, night),
    ],
    counts: {
      taken: delivered.taken.length,
      refusals: delivered.refusals,
      givenUp: delivered.givenUp.length,
      atNight: night.sent.length,
      told: told.finished.reduce((sum, { alertIds }) => sum + alertIds.length, 0),
    },
  };
}
