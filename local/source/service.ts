import type { ChangeOutcome, CompanyChange } from './company/changes.ts';
import type { Company } from './company/company.ts';
import type { Faults } from './http/faults.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** What the HTTP side of the emulator works with. */
export interface Service {
  readonly company: Company;
  readonly clock: SimulatedClock;
  /** Simulated seconds per real second. */
  readonly speed: number;
  /** The one that is accepted. */
  readonly token: string;
  readonly faults: Faults;
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

/** Applies a manual change now. */
export function applyManualChange(service: Service, change: CompanyChange): ChangeOutcome {
  catchUp(service);
  return service.company.apply(change);
}

/** Moves the simulated clock forward. */
export function moveClock(service: Service, milliseconds: number): void {
  service.clock.advance(milliseconds);
  catchUp(service);
}
