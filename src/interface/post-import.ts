import type { CaptionCount } from './caption-limits.js'
import type { MediaProblem } from './media-rules.js'

/** The columns of a file of posts, in their order. `channel` and `text` must be there. */
export const IMPORT_COLUMNS = ['time', 'channel', 'text', 'media', 'notes'] as const
export type ImportColumn = (typeof IMPORT_COLUMNS)[number]

/** The cells of a line, as they are written; an empty one says nothing. */
export type ImportCells = Record<ImportColumn, string>

/** A line that becomes a draft, with its number in the file. */
export interface ImportedLine extends ImportCells {
  line: number
}

/** Either the file or its lines, as they were read of it and corrected. */
export interface PostImport {
  /** True: the lines are looked at, and nothing is made. */
  dryRun?: boolean
  /** A CSV whose first line names the columns. */
  csv?: string
  /** The order of day and month in dates such as 05/01/2027; without it other dates of the file must show it. */
  dateOrder?: DateOrder
  lines?: (Partial<ImportCells> & { line: number })[]
}

export const DATE_ORDERS = ['DMY', 'MDY'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

export type ImportProblemCode =
  | 'time_unreadable'
  | 'time_ambiguous'
  | 'time_never'
  | 'time_twice'
  | 'time_past'
  | 'channel_missing'
  | 'channel_unknown'
  | 'channel_ambiguous'
  | 'channel_forbidden'
  | 'channel_rounded'
  | 'text_missing'
  | 'text_too_long'
  | 'media_no_url'
  | 'media_gone'
  | 'media_refused'
  | 'notes_too_long'
  | 'too_many_cells'
  | 'characters_lost'

/** The reason why a cell cannot be imported. */
export interface ImportProblem {
  column: ImportColumn
  code: ImportProblemCode
  /** Says what to do. */
  message: string
  /** The count that is exceeded, of a text that is too long. */
  excess?: CaptionCount
  /** The bound that an uploaded file does not keep. */
  media?: MediaProblem
  /** The instants that an ambiguous time can mean, by the order of day and month. */
  choices?: Record<DateOrder, string>
}

export interface ReportedLine {
  line: number
  cells: ImportCells
  /** The instant that the time means: ISO 8601 in UTC. */
  scheduledFor?: string
  /** Says how a time was read that is not written year first. */
  timeReadAs?: string
  /** The channel that is meant. */
  channelId?: string
  problems: ImportProblem[]
  /** The draft that the line has become. */
  scheduledPostId?: string
}

export interface PostImportReport {
  /** The drafts that were made: one of each line, or none as long as a line has a problem. */
  created: number
  lines: ReportedLine[]
  /** The order of day and month by which dates were read, if one was given or found. */
  dateOrder?: DateOrder
  /** Why there are no lines. */
  note?: string
}
