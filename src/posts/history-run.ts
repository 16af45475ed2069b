import { limit } from '../lib/limits.js'

/** A loop of one caller that changes the same fields leaves so many entries an hour (docs/decisions/limits.md). */
const RUN_MAX = limit('historyRun')
const RUN_MS = 3_600_000

/** The latest entries of a post's history, as far as they are updates by one caller. The post itself holds it. */
export interface HistoryRun {
  /** The post's version: a change that does not keep the run ends it, because the version has moved on. */
  version: number
  caller: string
  /** The instants of the latest entries, in milliseconds, the oldest first; at most `RUN_MAX`. */
  at: number[]
  /** The instant at which an entry last named each field. */
  fields: Record<string, number>
}

export interface Update {
  /** The post's version before the update. */
  version: number
  caller: string
  /** The fields that it changes. */
  fields: readonly string[]
  /** The instant in milliseconds. */
  at: number
  /** A change of the status always has its entry. */
  changesStatus: boolean
}

/** The run with an update, and whether the update has an entry: it has none where enough entries of the run say the same. */
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

/** The parts of a channel of a post that have a writer each. */
export const CHANNEL_FIELDS = ['caption', 'superpower'] as const
export type ChannelField = (typeof CHANNEL_FIELDS)[number]

/** The detail of an update in the history. */
export interface Changes extends Record<string, unknown> {
  /** The fields that differ, by the names that a caller gives them; a channel as `channels.<id>`. */
  changed: string[]
  /** The fields that differ, by the id of each channel that the post keeps. */
  channelFields?: Record<string, ChannelField[]>
}

/** Gives the changes as single names, by which one update is compared with another. */
export const namesOf = ({ changed, channelFields = {} }: Changes): string[] => [
  ...changed,
  ...Object.entries(channelFields).flatMap(([id, fields]) => fields.map((field) => `channels.${id}.${field}`)),
]
