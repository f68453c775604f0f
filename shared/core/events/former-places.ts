/** The members of an event's data that say where a timesheet is, and where it was before the change. */
export interface PlacedData {
  readonly organisationId?: string | null | undefined;
  readonly departmentId?: string | null | undefined;
  readonly previousOrganisationId?: string | null | undefined;
  readonly previousDepartmentId?: string | null | undefined;
  readonly previous?: FormerState | null | undefined;
}

interface FormerState {
  readonly departmentId?: string | null | undefined;
  readonly organisationWorkedId?: string | null | undefined;
}

export interface FormerPlaces {
  readonly organisationId: string | null;
  readonly departmentId: string | null;
}

/**
 * The organisation and the department that a timesheet left with an event; null where it left none. Older events,
 * without `previousOrganisationId` and `previousDepartmentId`, have them in `previous` only.
 */
export function findFormerPlaces(data: PlacedData): FormerPlaces {
  const { previous } = data;
  return {
    organisationId: pickIfLeft(
      data.previousOrganisationId ?? previous?.organisationWorkedId,
      data.organisationId,
    ),
    departmentId: pickIfLeft(data.previousDepartmentId ?? previous?.departmentId, data.departmentId),
  };
}

function pickIfLeft(before: string | null | undefined, now: string | null | undefined): string | null {
  return before == null || before === now ? null : before;
}
