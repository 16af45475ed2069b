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
  lines?: (Partial<ImportCells> & { line: number })[]
}

export type ImportProblemCode =
  | 'time_unreadable'
  | 'time_never'
  | 'time_twice'
  | 'time_past'
  | 'channel_missing'
  | 'channel_unknown'
  | 'channel_ambiguous'
  | 'channel_forbidden'
  | 'text_missing'
  | 'text_too_long'
  | 'media_no_url'
  | 'media_gone'
  | 'media_refused'
  | 'notes_too_long'
  | 'too_many_cells'

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
}

export interface ReportedLine {
  line: number
  cells: ImportCells
  /** The instant that the time means: ISO 8601 in UTC. */
  scheduledFor?: string
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
}
