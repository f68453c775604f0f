import type { History } from '../history.ts';
import { judgeDelivered, judgeToldPeople } from '../oracle/deliveries.ts';
import type { Violation } from '../oracle/evidence.ts';
import { Random } from '../random.ts';
import { deliver } from './delivered.ts';
import { tellPeople } from './people.ts';

/** What came of the events of a history after they were published. */
export interface Downstream {
  readonly violations: readonly Violation[];
  /** Events that an endpoint took, attempts that it refused, events that were given up, and things people were told. */
  readonly counts: Readonly<Record<'taken' | 'refusals' | 'givenUp' | 'told', number>>;
}

/** Keeps these draws apart from all others of the same seed. */
const OWN_STREAM = 0x1656_67b1;

/** Delivers what a history published, where that is part of it, and judges what became of it; null elsewhere. */
export async function judgeDownstream(history: History): Promise<Downstream | null> {
  if (!history.breadth.delivered) return null;
  const random = new Random(history.seed ^ OWN_STREAM);
  const delivered = await deliver(history.journal, random.fork());
  const told = await tellPeople(history.journal, history.settings, random.fork());
  return {
    violations: [...judgeDelivered(history, delivered), ...judgeToldPeople(history, told)],
    counts: {
      taken: delivered.taken.length,
      refusals: delivered.refusals,
      givenUp: delivered.givenUp.length,
      told: told.finished.reduce((sum, { alertIds }) => sum + alertIds.length, 0),
    },
  };
}
