import * as z from 'zod';

const findingSchema = z.object({
  about: z.string(),
  outcome: z.enum(['ok', 'warning', 'wrong']),
  says: z.string(),
  mend: z.string().nullable(),
});
export type DoctorFinding = z.output<typeof findingSchema>;

export const doctorAnswerSchema = z.object({ findings: z.array(findingSchema), checkedAt: z.string() });
export type DoctorAnswer = z.output<typeof doctorAnswerSchema>;
