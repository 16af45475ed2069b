import type { ChannelRow } from '../../channels/channels.store.js'
import type { Config } from '../../config/index.js'
import type { Queryable } from '../../database/database.js'
import { countCaption } from '../../interface/caption-limits.js'
import { isRounded, ROUNDED_BY_SPREADSHEET } from '../../interface/csv.js'
import type {
  ImportCells,
  ImportProblem,
  ImportProblemCode,
  NewScheduledPost,
} from '../../interface/generated/types.js'
import { findMediaProblems } from '../../interface/media-rules.js'
import { mediaTypeOf } from '../../interface/media-type.js'
import { toNormalForm } from '../../interface/normal-form.js'
import { type DateOrder, IMPORT_COLUMNS, type ImportColumn } from '../../interface/post-import.js'
import { holdMediaByUrl, mediaTypeOf as mediaTypeOfUpload } from '../../media/media.js'
import { describeMediaProblem, isWebUrl } from '../post-rules.js'
import { MEDIA_CHARS_MAX, NOTES_CHARS_MAX } from '../post-schema.js'
import { readTime } from './read-time.js'

/** The facts against which lines are checked. */
export interface LineRules {
  organizationId: string
  timeZone: string
  /** The channels of the organization that are not deleted. */
  channels: ChannelNames
  /** Returns whether the caller may write posts on a channel. */
  mayWrite: (channelId: string) => boolean
  config: Config
  nowMs: number
  /** The order of day and month in the file's dates, if known. */
  dateOrder: DateOrder | undefined
}

/** Channels by id, and by name regardless of case. */
interface ChannelNames {
  byId: ReadonlyMap<string, ChannelRow>
  byName: ReadonlyMap<string, ChannelRow[]>
}

/** Built once per file, because comparing names costs more than reading a line. */
export function toChannelNames(channels: readonly ChannelRow[]): ChannelNames {
  const byName = new Map<string, ChannelRow[]>()
  for (const channel of channels) {
    const name = comparable(channel.name)
    const named = byName.get(name)
    if (named === undefined) byName.set(name, [channel])
    else named.push(channel)
  }
  return { byId: new Map(channels.map((channel) => [channel.channel_id, channel])), byName }
}

export interface CheckedLine {
  /** The body of the draft that the line describes; undefined if it has a problem. */
  post: NewScheduledPost | undefined
  scheduledFor: string | undefined
  timeReadAs: string | undefined
  channelId: string | undefined
  problems: ImportProblem[]
}

type Fact<Value> = { value: Value | undefined; problems: ImportProblem[] }

const fine = <Value>(value: Value): Fact<Value> => ({ value, problems: [] })
const wrong = (column: ImportColumn, code: ImportProblemCode, message: string, more: object = {}): Fact<never> => ({
  value: undefined,
  problems: [{ column, code, message, ...more }],
})

/** Longer texts cannot be names. */
const NAME_CHARS_MAX = 1_000

/** Reads one line, and reports everything that is wrong with it. */
export async function checkLine(tx: Queryable, rules: LineRules, cells: ImportCells): Promise<CheckedLine> {
  const time = checkTime(cells.time.trim(), rules)
  const channel = findChannel(cells.channel.trim(), rules)
  const text = readText(cells.text, channel.value)
  const media = await readMedia(tx, rules, cells.media.trim(), channel.value)
  const notes =
    [...cells.notes].length > NOTES_CHARS_MAX
      ? wrong('notes', 'notes_too_long', `Shorten the notes to ${NOTES_CHARS_MAX} characters.`)
      : fine(cells.notes)
  const wrongs = [time, channel, text, media, notes].flatMap((fact) => fact.problems)
  const problems = [...wrongs, ...findLostCharacters(cells)]
  return {
    ...{ scheduledFor: time.value, timeReadAs: time.readAs, channelId: channel.value?.channel_id, problems },
    post:
      problems.length > 0 || channel.value === undefined
        ? undefined
        : {
            ...(time.value !== undefined && { scheduledFor: time.value }),
            channels: { [channel.value.channel_id]: { caption: cells.text } },
            ...media.value,
            ...(cells.notes.trim() !== '' && { notes: cells.notes }),
          },
  }
}

/** A draft may have no time. */
function checkTime(cell: string, { timeZone, nowMs, dateOrder }: LineRules): Fact<string> & { readAs?: string } {
  if (cell === '') return { value: undefined, problems: [] }
  const read = readTime(cell, timeZone, dateOrder)
  if ('code' in read) {
    const { code, message, ...more } = read
    return wrong('time', code, message, more)
  }
  const { instant, readAs } = read
  if (Date.parse(instant) <= nowMs) return wrong('time', 'time_past', 'The time has passed: choose one in the future.')
  return { ...fine(instant), ...(readAs !== undefined && { readAs }) }
}

/** Programs write these for bytes that they cannot decode, or for Windows-1252 that they mistake for Latin-1. */
const LOST = /[\uFFFD\u0080-\u009F]/

/** A JSON body contains the file as text, so the service never sees the original bytes. */
const findLostCharacters = (cells: ImportCells): ImportProblem[] =>
  IMPORT_COLUMNS.filter((column) => LOST.test(cells[column])).flatMap(
    (column) =>
      wrong(
        column,
        'characters_lost',
        'The file was not read in its own encoding, and characters are lost: save it as UTF-8, and import it again.',
      ).problems,
  )

/** Finds a channel by its id, or by its name regardless of case. */
function findChannel(cell: string, { channels, mayWrite }: LineRules): Fact<ChannelRow> {
  if (cell === '') return wrong('channel', 'channel_missing', 'Write the name or the id of the channel.')
  const isName = cell.length <= NAME_CHARS_MAX
  const byId = channels.byId.get(cell)
  const named = (isName && channels.byName.get(comparable(cell))) || []
  const [only] = byId === undefined ? named : [byId]
  if (only === undefined && isRounded(cell)) {
    return wrong('channel', 'channel_rounded', `This cannot be an id: ${ROUNDED_BY_SPREADSHEET}.`)
  }
  if (only === undefined) return wrong('channel', 'channel_unknown', 'There is no channel with this name or id.')
  if (byId === undefined && named.length > 1) {
    const ids = named.map(({ channel_id }) => channel_id).join(', ')
    return wrong(
      'channel',
      'channel_ambiguous',
      `Several channels have this name: write the id of the right one, ${ids}.`,
    )
  }
  if (!mayWrite(only.channel_id)) {
    return wrong('channel', 'channel_forbidden', 'You may not write posts on this channel: choose another one.')
  }
  return fine(only)
}

/** Normalizes a name: it may be written in several ways, such as é as one character or as two. */
const comparable = (name: string): string => toNormalForm(name, 'NFC').trim().toLowerCase()

function readText(cell: string, channel: ChannelRow | undefined): Fact<string> {
  if (cell.trim() === '') return wrong('text', 'text_missing', 'Write the text of the post.')
  const excess = countCaption(channel?.type ?? '', cell).filter(({ count, max }) => count > max)
  return {
    value: cell,
    problems: excess.map((one) => ({
      ...({ column: 'text', code: 'text_too_long', excess: one } as const),
      message: `A text on this channel can have at most ${one.max} ${one.what}: this one has ${one.count}.`,
    })),
  }
}

async function readMedia(
  tx: Queryable,
  { config, organizationId }: LineRules,
  url: string,
  channel: ChannelRow | undefined,
): Promise<Fact<Pick<NewScheduledPost, 'media' | 'mediaType'>>> {
  if (url === '') return fine({})
  if (!isWebUrl(url) || url.length > MEDIA_CHARS_MAX) {
    const message = `Write an address that begins with https:// or http:// and has at most ${MEDIA_CHARS_MAX} characters.`
    return wrong('media', 'media_no_url', message)
  }
  const upload = await holdMediaByUrl(tx, config, organizationId, url)
  if (upload === null) return wrong('media', 'media_gone', 'This uploaded file does not exist, or was deleted.')
  if (upload === undefined) return fine({ media: url, mediaType: mediaTypeOf(url) ?? 'IMAGE' })
  const { content_type: contentType, bytes, width, height, duration_ms } = upload
  const mediaType = mediaTypeOfUpload(upload)
  const facts = { mediaType, contentType, bytes, width, height, durationMs: duration_ms ?? undefined }
  return {
    value: { media: url, mediaType },
    problems: findMediaProblems(facts, channel?.type ?? '').map((media) => ({
      ...({ column: 'media', code: 'media_refused', media } as const),
      message: `The channel accepts only ${describeMediaProblem(media)}.`,
    })),
  }
}
