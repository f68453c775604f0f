import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** The packs of cdk-nag, besides AwsSolutions, that share these rules. */
const PACKS = ['HIPAA.Security', 'NIST.800.53.R4', 'NIST.800.53.R5', 'PCI.DSS.321', 'Serverless'];

/** States why a construct does not follow a rule of these packs. AwsSolutions is followed everywhere, but in a network and before an existing queue. */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge(...PACKS.map((pack) => ({ id: `${pack}-${rule}`, reason })));
}
