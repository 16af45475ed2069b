import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { NOTHING_TO_IMPORT } from '../../interface/csv-records.js'
import type { PurchaseImportReport as FileReport, RejectedLine } from '../../interface/generated/types.js'
import type { TextLines } from '../../interface/text-lines.js'

/** The fields of an imported file's report, as a response describes them. */
export const fileReportFields = (received: string, listed: string) => ({
  received: Joi.number().integer().required().description(received),
  imported: Joi.number().integer().required().description('In a dry run, the lines that would be imported.'),
  erased: Joi.number()
    .integer()
    .required()
    .description('Lines of erased people. They are skipped until the person is readmitted.'),
  rejected: Joi.array()
    .items(
      namedObject('RejectedLine', {
        line: Joi.number().integer().required(),
        lastLine: Joi.number().integer().description('Present if a CSV record spans several lines.'),
        reason: Joi.string().required().description('One line of text that quotes the invalid value.'),
      }),
    )
    .required()
    .description(listed),
  rejectedCount: Joi.number().integer().required(),
  encoding: Joi.string()
    .valid('UTF-16', 'Windows-1252')
    .description('How the file was decoded; absent if it is UTF-8.'),
  note: Joi.string().description('Why no lines were received.'),
})

/** The part of a report about the file itself. */
export const describeFile = (
  { encoding }: Pick<TextLines, 'encoding'>,
  received: number,
): Pick<FileReport, 'encoding' | 'note'> => ({
  ...(encoding !== 'UTF-8' && { encoding }),
  ...(received === 0 && { note: NOTHING_TO_IMPORT }),
})

/** Counts rejected lines, and lists the first ones. */
export class Rejects {
  readonly listed: RejectedLine[] = []
  count = 0
  constructor(private readonly listedMax: number) {}
  add({ line, lastLine }: Omit<RejectedLine, 'reason'>, reason: string): void {
    this.count += 1
    if (this.listed.length < this.listedMax) {
      this.listed.push({ line, ...(lastLine !== undefined && { lastLine }), reason })
    }
  }
}
