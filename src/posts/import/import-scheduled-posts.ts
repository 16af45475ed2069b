import Joi, { type SchemaMap } from 'joi'
import { mayInAll } from '../../access/channel-rights.js'
import { findOrganization } from '../../access/organizations.store.js'
import { listChannelRows } from '../../channels/channels.store.js'
import type { Config } from '../../config/index.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { invalid } from '../../http/detail.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { oneOf } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import { NOTHING_TO_IMPORT } from '../../interface/csv-records.js'
import type { PostImport, PostImportReport, ReportedLine } from '../../interface/generated/types.js'
import { DATE_ORDERS, type DateOrder, IMPORT_COLUMNS } from '../../interface/post-import.js'
import { limit } from '../../lib/limits.js'
import { noteTexts } from '../copies.store.js'
import { answerOnce, idempotencyHeader, readIdempotencyKey } from '../idempotency.js'
import { insertPost, type Making } from '../insert-post.js'
import { checkLine, type LineRules, toChannelNames } from './check-line.js'
import { type ReadLine, readPostsCsv } from './read-csv.js'
import { findDateOrder } from './read-time.js'

const LINES_MAX = limit('postImportLines')

const cell = Joi.string().allow('').max(limit('captionChars'))
const lineNumber = Joi.number().integer().min(1).required().description('The number of the line in the file.')
const cellFields = { time: cell, channel: cell, text: cell, media: cell, notes: cell }
const writtenCell = cell.required()

const PROBLEM_CODES = [
  ...['time_unreadable', 'time_ambiguous', 'time_never', 'time_twice', 'time_past', 'channel_missing'],
  ...['channel_unknown', 'channel_ambiguous', 'channel_forbidden', 'channel_rounded', 'text_missing', 'text_too_long'],
  ...['media_no_url', 'media_gone', 'media_refused', 'notes_too_long', 'too_many_cells', 'characters_lost'],
]

const number = Joi.number().required()
const refusalOf = (what: string, bounds: SchemaMap) =>
  Joi.object({ what: Joi.string().valid(what).required(), ...bounds })
const mediaRefusalBody = named(
  'MediaRefusal',
  Joi.alternatives(
    refusalOf('type', { types: Joi.array().items(Joi.string()).required() }),
    refusalOf('size', { mibMax: number }),
    refusalOf('ratio', { min: number, max: number, is: number }),
    refusalOf('width', { max: number }),
    refusalOf('duration', { minSeconds: number, maxMinutes: number }),
  ),
)

const problemBody = named(
  'ImportProblem',
  Joi.object({
    column: oneOf(IMPORT_COLUMNS).required(),
    code: named('ImportProblemCode', oneOf(PROBLEM_CODES)).required(),
    message: Joi.string().required().description('Says what to do.'),
    excess: namedObject('CaptionCount', {
      what: Joi.string().valid('characters', 'hashtags', 'mentions').required(),
      count: Joi.number().integer().required(),
      max: Joi.number().integer().required(),
    }).description('The count that exceeds its limit, if the text is too long.'),
    media: mediaRefusalBody.description('The limit that an uploaded file does not meet.'),
    choices: Joi.object({ DMY: Joi.string().required(), MDY: Joi.string().required() }).description(
      'The instants that an ambiguous time can mean, by the order of day and month.',
    ),
  }),
)

/**
 * Create drafts from the lines of a file: all of them, or none if any line has a problem. A dry run creates none. With an
 * Idempotency-Key, a repeat within 24 hours returns the first import's answer and creates nothing.
 */
export const importScheduledPosts = operation({
  operationId: 'importScheduledPosts',
  summary: 'Create drafts from the lines of a CSV, or check the lines for problems.',
  description:
    "Use it for a plan that was written in a spreadsheet. The columns are time, channel (its name or id), text, media (an address) and notes. A time without a zone is in the organization's time zone; `timeReadAs` says how a date such as 5.1.2027 was read. With `dryRun`, nothing is created, and each line lists its problems. Otherwise every line becomes a DRAFT, or none does if any line has a problem. Nothing is submitted or approved. Send an Idempotency-Key. Costs one transaction, with a few statements per line.",
  route: 'POST /scheduled-posts/import',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [200, 400],
  headers: idempotencyHeader,
  body: named(
    'PostImport',
    Joi.object({
      dryRun: Joi.boolean().description('`true`: checks the lines and creates nothing.'),
      csv: Joi.string().description(`A CSV whose first line names the columns; at most ${LINES_MAX} lines.`),
      dateOrder: oneOf(DATE_ORDERS).description(
        'The order of day and month in dates such as 05/01/2027. Without it, other dates in the file decide.',
      ),
      lines: Joi.array()
        .items(named('ImportedLine', Joi.object({ line: lineNumber, ...cellFields })))
        .max(LINES_MAX)
        .description('Instead of the file, its lines as returned by a dry run, with corrections.'),
    }).xor('csv', 'lines'),
  ),
  success: namedObject('PostImportReport', {
    created: Joi.number().integer().required().description('The number of drafts that were created.'),
    lines: Joi.array()
      .items(
        namedObject('ReportedLine', {
          line: lineNumber,
          cells: namedObject('ImportCells', {
            ...{ time: writtenCell, channel: writtenCell, text: writtenCell, media: writtenCell, notes: writtenCell },
          }).required(),
          scheduledFor: Joi.string().isoDate().description('The instant that the time means.'),
          timeReadAs: Joi.string().description('How the time was read, if it is not written year first.'),
          channelId: Joi.string().description('The channel that the line names.'),
          problems: Joi.array().items(problemBody).required(),
          scheduledPostId: Joi.string().description('The draft that was created from the line.'),
        }),
      )
      .required(),
    dateOrder: oneOf(DATE_ORDERS).description(
      'The order of day and month in which dates were read, if one was given or found.',
    ),
    note: Joi.string().description('Why no lines were read.'),
  }),
  async handle({ body, headers, principal, meter }, { clock, config, database }) {
    const key = readIdempotencyKey(headers)
    const now = new Date(clock.now())
    const lines = toLines(body)
    const dateOrder = body.dateOrder ?? findDateOrder(lines.map(({ time }) => time))
    meter.rows = lines.length
    const run = (): Promise<PostImportReport> =>
      database.transaction(async (tx) => {
        const readRules = () => readLineRules(tx, { config, principal, now, dateOrder })
        if (body.dryRun) return (await checkLines(tx, await readRules(), lines)).report
        const call = { principal, needed: 'posts:write', key, body, now } as const
        return answerOnce(tx, call, async (checkChannels) => {
          const making = { config, principal, checkChannels, now, operation: 'importScheduledPosts' }
          return importLines(tx, await readRules(), lines, making)
        })
      })
    try {
      return ok(await run())
    } catch (error) {
      if (error instanceof Refused) return ok(error.report)
      throw error
    }
  },
})

/** A line has a problem. The transaction ends without a post and without using the key, so the import can be repeated. */
class Refused extends Error {
  constructor(readonly report: PostImportReport) {
    super('a line has a problem')
  }
}

function toLines({ csv, lines = [] }: PostImport): ReadLine[] {
  const empty = { time: '', channel: '', text: '', media: '', notes: '' }
  const read = csv === undefined ? lines.map((line) => ({ ...empty, ...line })) : readPostsCsv(csv)
  if (read.length > LINES_MAX) throw invalid('csv', 'lines.max', `must have at most ${LINES_MAX} posts`)
  return read
}

async function readLineRules(
  tx: Queryable,
  {
    config,
    principal,
    now,
    dateOrder,
  }: { config: Config; principal: Principal; now: Date; dateOrder: DateOrder | undefined },
): Promise<LineRules> {
  const { organizationId } = principal
  const organization = await findOrganization(tx, organizationId)
  if (organization === undefined) throw new ApiError('organization_not_found')
  const channels = await listChannelRows(tx, organizationId)
  const mayWrite = (channelId: string): boolean => mayInAll(principal, 'posts:write', [channelId])
  return {
    organizationId,
    timeZone: organization.time_zone,
    channels: toChannelNames(channels),
    mayWrite,
    config,
    nowMs: now.getTime(),
    dateOrder,
  }
}

async function checkLines(tx: Queryable, rules: LineRules, lines: readonly ReadLine[]) {
  const checked = []
  for (const { line, tooMany, ...cells } of lines) {
    const { post, problems, ...means } = await checkLine(tx, rules, cells)
    if (tooMany !== undefined) problems.push({ column: 'text', code: 'too_many_cells', message: tooMany })
    checked.push({ post, reported: { line, cells, ...means, problems } satisfies ReportedLine })
  }
  const report: PostImportReport = {
    ...{ created: 0, lines: checked.map(({ reported }) => reported), dateOrder: rules.dateOrder },
    ...(lines.length === 0 && { note: NOTHING_TO_IMPORT }),
  }
  return { checked, report }
}

async function importLines(
  tx: Queryable,
  rules: LineRules,
  lines: readonly ReadLine[],
  making: Making,
): Promise<PostImportReport> {
  const { checked, report } = await checkLines(tx, rules, lines)
  if (report.lines.some(({ problems }) => problems.length > 0)) throw new Refused(report)
  const { organizationId, actor } = making.principal
  // All at once, in one order, so that imports of the same texts wait for each other without deadlocks.
  await noteTexts(tx, organizationId, {
    texts: lines.map(({ text }) => text),
    actor,
    at: making.now,
  })
  const made: ReportedLine[] = []
  for (const { post, reported } of checked) {
    const { scheduled_post_id } = await insertPost(tx, making, post!)
    made.push({ ...reported, scheduledPostId: scheduled_post_id })
  }
  return { ...report, created: made.length, lines: made }
}
