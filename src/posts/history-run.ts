import { limit } from '../lib/limits.js'

/**
 * The number of entries per hour that a loop of one caller leaves when it keeps changing the same fields
 * (docs/decisions/limits.md).
 */
const RUN_MAX = limit('historyRun')
const RUN_MS = 3_600_000

/** The latest entries of a post's history, as far as they are updates by one caller. The post itself stores it. */
export interface HistoryRun {
  /** The post's version. Any change that does not continue the run ends it, because the version moves on. */
  version: number
  caller: string
  /** The instants of the latest entries, in milliseconds, oldest first; at most `RUN_MAX`. */
  at: number[]
  /** When an entry last named each field. */
  fields: Record<string, number>
}

export interface Update {
  /** The post's version before the update. */
  version: number
  caller: string
  /** The fields that the update changes. */
  fields: readonly string[]
  /** The instant in milliseconds. */
  at: number
  /** A change of the status always gets an entry. */
  changesStatus: boolean
}

/**
 * Adds an update to the run, and returns whether the update gets an entry: it gets none if enough entries of the run say the
 * same.
 */
export function continueRun(
  run: HistoryRun | null,
  { version, caller, fields, at, changesStatus }: Update,
): { run: HistoryRun; hasEntry: boolean } {
  const since = at - RUN_MS
  const before =
    run?.version === version && run.caller === caller ? run : { version, caller, at: [], fields: {} satisfies object }
  const isLong = before.at.length === RUN_MAX && before.at[0]! > since
  if (!changesStatus && isLong && fields.every((field) => (before.fields[field] ?? since) > since)) {
    return { run: { ...before, version: version + 1 }, hasEntry: false }
  }
  const named = Object.entries(before.fields).filter(([, namedAt]) => namedAt > since)
  return {
    run: {
      version: version + 1,
      caller,
      at: [...before.at, at].slice(-RUN_MAX),
      fields: Object.fromEntries([...named, ...fields.map((field) => [field, at] as const)]),
    },
    hasEntry: true,
  }
}

/** The parts of a post's channel that each have a writer. */
export const CHANNEL_FIELDS = ['caption', 'superpower'] as const
export type ChannelField = (typeof CHANNEL_FIELDS)[number]

/** The detail of an update in the history. */
export interface Changes extends Record<string, unknown> {
  /** The fields that differ, by the names that a caller uses; a channel is `channels.<id>`. */
  changed: string[]
  /** The fields that differ, by the id of each channel that the post keeps. */
  channelFields?: Record<string, ChannelField[]>
}

/** Returns the changes as single names, for comparing updates. */
export const namesOf = ({ changed, channelFields = {} }: Changes): string[] => [
  ...changed,
  ...Object.entries(channelFields).flatMap(([id, fields]) => fields.map((field) => `channels.${id}.${field}`)),
]
