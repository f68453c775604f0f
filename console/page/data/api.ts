import type { DeliveriesAnswer, DeliveriesQuery, Resend } from '../../routes/deliveries.ts';
import type { DoctorAnswer } from '../../routes/doctor.ts';
import type { FindAnswer } from '../../routes/find.ts';
import type { EventAnswer, EventPlace, LinesAnswer, LinesQuery } from '../../routes/lines.ts';
import type { Overview } from '../../routes/overview.ts';
import { PATHS } from '../../routes/paths.ts';
import type { PeriodAnswer, PeriodQuery, PeriodsAnswer } from '../../routes/periods.ts';
import type { PersonAnswer, PersonQuery } from '../../routes/person.ts';
import type { RecordAnswer, RecordQuery } from '../../routes/record.ts';
import { toHeaders } from './session.ts';

const DOWNLOAD_MS = 10_000;

/** The server refused, or did not answer. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** An address with a query; members without a value are left out. */
export function toAddress(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

async function request(address: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { ...init, headers: { ...init.headers, ...toHeaders() } });
  } catch {
    throw new ApiError('unreachable', 'the console does not answer');
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  const { error = 'failed', message = `the console answered ${response.status}` } = (body ?? {}) as {
    readonly error?: string;
    readonly message?: string;
  };
  throw new ApiError(error, message);
}

async function send<Answer>(address: string, init?: RequestInit): Promise<Answer> {
  return (await (await request(address, init)).json()) as Answer;
}

/** Saves a file as a link to it would, which cannot send the secret of the session. */
export async function download(address: string): Promise<void> {
  const response = await request(address);
  const [, name = ''] = /filename="(.*)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  // Not at once: a browser may begin to read it later.
  window.setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS);
}

/** The routes of the console, with the types of its contract. */
export const api = {
  overview: () => send<Overview>(PATHS.overview),
  events: (query: LinesQuery) => send<LinesAnswer>(toAddress(PATHS.events, query as Query)),
  event: (place: EventPlace) => send<EventAnswer>(toAddress(PATHS.event, place)),
  find: (q: string) => send<FindAnswer>(toAddress(PATHS.find, { q })),
  person: (query: PersonQuery) => send<PersonAnswer>(toAddress(PATHS.person, query)),
  record: (query: RecordQuery) => send<RecordAnswer>(toAddress(PATHS.record, query)),
  periods: () => send<PeriodsAnswer>(PATHS.periods),
  period: (query: PeriodQuery) => send<PeriodAnswer>(toAddress(PATHS.period, query)),
  deliveries: (query: DeliveriesQuery) => send<DeliveriesAnswer>(toAddress(PATHS.deliveries, query)),
  resend: (event: Resend) =>
    request(PATHS.resend, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(event),
    }),
  doctor: (again: boolean) =>
    send<DoctorAnswer>(toAddress(PATHS.doctor, { again: again ? 'yes' : undefined })),
};
