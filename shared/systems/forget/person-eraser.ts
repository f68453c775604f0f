import type { Person } from './forget-in.ts';

/** Takes people out of what is stored beside rows, heads and states, which are changed under a lease alone. */
export interface PersonEraser {
  /**
   * Rewrites or deletes what tells of a person: in the log, ledgers, memberships, alerts and messages. Returns how many
   * items that were. A repetition changes nothing.
   */
  forgetPerson(person: Person): Promise<number>;
  /** Deletes all that is stored of a connection, and returns how many items that were. */
  forgetConnection(name: string): Promise<number>;
}
