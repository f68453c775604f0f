import { FAULTS, type Fault } from '#test/support/webhook-faults.ts';
import { eventText, idOf, WebhookWorld } from '#test/support/webhook-world.ts';

/** Stories of an endpoint, told once for each call that goes wrong, in each way. */

const EVENTS = [
  ['r1', 1],
  ['r1', 2],
  ['r2', 1],
  ['r2', 2],
  ['r3', 1],
] as const;
export const IDS = EVENTS.map(([record, sequence]) => idOf(record, sequence)).sort();

interface Story {
  readonly make: () => WebhookWorld | Promise<WebhookWorld>;
  readonly check: (world: WebhookWorld) => void;
  readonly every?: number;
}

/** Tells a story once for each call and fault, and answers how many times that was. */
export async function forEveryCall({ make, check, every = 1 }: Story): Promise<number> {
  const healthy = await make();
  const first = healthy.faults.calls.length;
  await healthy.run();
  check(healthy);
  let published = 0;
  for (let call = first; call < healthy.faults.calls.length; call += every) {
    for (const fault of FAULTS) {
      const world = await make();
      world.faults.plan(call, fault);
      await world.run();
      explain(() => check(world), { name: healthy.faults.calls[call], call, fault });
      published += 1;
    }
  }
  return published;
}

function explain(check: () => void, what: { name: string | undefined; call: number; fault: Fault }): void {
  try {
    check();
  } catch (cause) {
    throw new Error(`when call ${what.call} (${what.name}) ${what.fault}: ${cause}`, { cause });
  }
}

/** A webhook with the events of a story in its queue. */
export function withEvents(world = new WebhookWorld()): WebhookWorld {
  for (const [record, sequence] of EVENTS) world.publish(eventText(record, sequence));
  return world;
}

export function deadIds(world: WebhookWorld): string[] {
  return [...new Set(world.dead.map(({ body }) => String(JSON.parse(JSON.parse(body).event).id)))].sort();
}
