import type { Connection } from './generated/types.js'
import type { Encoding } from './text-lines.js'

/** A boolean in a query. */
export type Flag = 'true' | 'false'

/** The parameters that both variants of the interface have (interface 4.1, 9.4). */
export interface EarlierVipUserQuery {
  /** Id of a VIP workspace. */
  workspaceId: string
  /** Id of a channel connected to the workspace. */
  mediumId: string
  /** `true`: only users with a known birthday. */
  hasBirthday?: Flag
  /** 1 to 12: only users whose birthday falls in this month. */
  birthdayMonth?: number
  /** Users per page: 50 by default, at most 200; compact: 5000 and 5000. A larger value is clamped. */
  limit?: number
  /** Users to skip. */
  offset?: number
}

/** interface 4.1 */
export interface VipUserQuery extends EarlierVipUserQuery {
  /** `vip` (default): users marked VIP for the workspace; `all`: every conversation on the channel. */
  scope?: 'vip' | 'all'
  /** `true`: rows have only conversationId, cuid and birthday. */
  compact?: Flag
}

/** The same for all rows at once. */
export type VipUserExportQuery = Omit<VipUserQuery, 'limit' | 'offset'>

/** The row of interface 2.1. Timestamps are milliseconds since the epoch. */
export interface VipUser {
  conversationId: string
  userName?: string
  firstName?: string
  lastName?: string
  cuid: string
  profilePic?: string
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. */
  birthday?: string
  lastPurchaseTimestamp?: number
  lastUserMessageTimestamp?: number
  lastAppOpenTimestamp?: number
}

/** The envelope of interface 2.2. */
export interface VipUserList {
  items: VipUser[]
  returned: number
  /** A floor when `scanCapped` is true. */
  total: number
  mayHaveMore: boolean
  nextOffset: number
  /** The channel exceeds the scan guardrail of 25,000 conversations. */
  scanCapped: boolean
}

/** A conversation that is marked VIP for a workspace, or is not. */
export interface VipMark extends Connection {
  conversationId: string
  vip: boolean
}

export interface ImportQuery {
  /** The VIP workspace of the field `vip`; required when a line has it. */
  workspaceId?: string
  /** `true`: every line is judged as by an import, and nothing is changed. */
  dryRun?: Flag
  /** For a CSV: a JSON object with the field for each column that is called otherwise; '' leaves the column out. */
  columns?: string
  /** How many rejected lines are listed: 100 by default, at most 10,000. */
  rejects?: number
}

export interface ExportQuery {
  /** The VIP workspace of the field `vip`, which the lines lack without it. */
  workspaceId?: string
}

/**
 * One line of an import: the fields of interface 2.1, `lifetimeValue` and `vip`. An absent field keeps the stored
 * value; null clears it.
 */
export interface ConversationLine extends Names, Nullable<Omit<VipUser, keyof Names>> {
  lifetimeValue?: number | null
  /** The time as of which `lifetimeValue` holds, which it goes with; that of the import unless said. */
  lifetimeValueAt?: number | null
  vip?: boolean | null
}

type Names = Pick<VipUser, 'conversationId' | 'cuid'>
type Nullable<Fields> = { [Name in keyof Fields]: Fields[Name] | null }

/** The report of an imported file. */
export interface FileReport {
  /** Lines read, without blank ones and the header of a CSV: imported, erased and rejected ones. */
  received: number
  /** In a dry run those that would be. */
  imported: number
  /** Lines of erased people, which are left out. */
  erased: number
  /** The first 100, or as many as asked for. */
  rejected: RejectedLine[]
  rejectedCount: number
  /** How the file was read, unless as UTF-8. */
  encoding?: Exclude<Encoding, 'UTF-8'>
  /** Why nothing was received. */
  note?: string
}

export interface ImportReport extends FileReport {
  /** Lines of conversations that are not on the channel yet. A dry run counts them. */
  created?: number
  /** Present where nothing was changed. */
  dryRun?: true
}

export interface RejectedLine {
  line: number
  /** Where a record of a CSV spans several lines. */
  lastLine?: number
  /** On one line, with the value that is wrong. */
  reason: string
}

export interface DeletedConversation {
  channelId: string
  conversationId: string
}

/** One call has erased this of a person. */
export interface PersonErasure {
  /** Names the erasure in the audit trail, which holds nothing of the person. */
  erasureId: string
  /** False while conversations are left: repeat the call. */
  done: boolean
  conversations: number
  vipMarks: number
  /** On how many channels they were. */
  channels: number
}

export interface PersonReadmission {
  /** True if the person had been erased. */
  readmitted: boolean
}

/** The orders of the console's list of people; each begins with the highest value, the first name, or the latest time. */
export const AUDIENCE_SORTS = ['value', 'name', 'lastPurchase', 'lastMessage', 'birthday'] as const
export type AudienceSort = (typeof AUDIENCE_SORTS)[number]

/** People of a segment meet all of these. */
export interface SegmentConditions {
  /** True: VIPs of the workspace that is looked at; false: everyone else. */
  vip?: boolean
  /** The lifetime value is greater. */
  valueAbove?: number
  /** No purchase within so many days, or none at all. */
  noPurchaseForDays?: number
  /** A birthday today or on one of the days after it, so many days in all. */
  birthdayWithinDays?: number
}

/** A named group of people, who follow from its conditions. */
export interface Segment {
  id: string
  name: string
  conditions: SegmentConditions
  createdAt: string
}

export interface NewSegment {
  name: string
  conditions: SegmentConditions
}

export type SegmentPatch = Partial<NewSegment>

export interface DeletedSegment {
  id: string
}

/** The people that are asked for, and their order. */
export interface AudienceExportQuery extends Omit<SegmentConditions, 'vip'> {
  workspaceId: string
  channelId: string
  scope?: 'vip' | 'all'
  hasBirthday?: Flag
  birthdayMonth?: number
  segmentId?: string
  /** `value` unless said. */
  sort?: AudienceSort
}

export interface AudienceListQuery extends AudienceExportQuery {
  /** People per page: 50 unless said, 200 at most. */
  limit?: number
  /** People to skip: for the order by value alone, without conditions. */
  offset?: number
  /** The nextCursor of the page before: for every other order, and with conditions. */
  after?: string
}

/** The row of interface 2.1 with the value, and the place by value among VIPs or everyone. */
export interface AudienceRow extends VipUser {
  lifetimeValue: number
  /** Null behind the first 25,000. */
  rank: number | null
  vip: boolean
}

export interface AudienceExport {
  items: AudienceRow[]
  /** The currency of the values, where the organization has one. */
  currency: string | null
  /** The channel has more conversations than are looked at: there may be more people. */
  scanCapped: boolean
}

export interface AudienceList extends AudienceExport {
  /** The people before this page. */
  skipped: number
  /** A floor when `scanCapped` is true. */
  total: number
  /** True where there is another page. */
  mayHaveMore: boolean
  /** Null where the next page begins by its offset. */
  nextCursor: string | null
}

export interface VipMarksChange {
  /** Ids of conversations. */
  mark?: string[]
  unmark?: string[]
}

/** The conversations whose mark a call has changed, so that the same the other way round undoes it. */
export interface ChangedVipMarks {
  marked: string[]
  unmarked: string[]
  /** Ids of no conversation. */
  missing: string[]
}

/** Since when a person is a VIP, and by whom. */
export interface PersonVipMark extends Connection {
  conversationId: string
  /** Null for a mark that was made by plain SQL. */
  at: string | null
  /** Such as `user:usr_…`, `key:key_…` or `operator`. */
  by: string | null
}
