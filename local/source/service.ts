import type { ChangeOutcome, CompanyChange } from './company/changes.ts';
import type { Company } from './company/company.ts';
import type { Faults } from './http/faults.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { RequestLog } from './http/request-log.ts';
import type { Tokens } from './http/tokens.ts';
import type { Journal } from './journal.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** What the HTTP side of the emulator works with. */
export interface Service {
  readonly company: Company;
  readonly clock: SimulatedClock;
  /** Simulated seconds per real second. */
  readonly speed: number;
  /** `null` when manual changes are not stored. */
  readonly journal: Journal | null;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly limit: RateLimit;
  readonly log: RequestLog;
  /** Larger requested page sizes are reduced to this. */
  readonly pageSizeCap: number;
  /** Real time in milliseconds since 1970. */
  readonly realNow: () => number;
  /** Waits real milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Simulates the company up to the time of the clock. */
export function catchUp({ company, clock }: Service): void {
  company.advanceTo(clock.now());
}

/** Applies a manual change now, and adds it to the journal when it was `done`. */
export function applyManualChange(service: Service, change: CompanyChange): ChangeOutcome {
  catchUp(service);
  const outcome = service.company.apply(change);
  if (outcome.outcome === 'done') service.journal?.append({ at: service.company.now(), change });
  return outcome;
}

/** Moves the simulated clock forward and adds that to the journal, so that a later start does not go back in time. */
export function moveClock(service: Service, milliseconds: number): void {
  service.clock.advance(milliseconds);
  catchUp(service);
  service.journal?.append({ at: service.company.now() });
}
