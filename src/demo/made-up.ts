import { readFileSync } from 'node:fs'
import type { NewSuperpower } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'

/** A row of the demo's calendar. Days are relative to today, and times are those of São Paulo. */
export interface CalendarRow {
  /** The final status of the post. */
  status: Exclude<PostStatus, 'PUBLISHING'>
  /** Without this the post has no date. */
  at?: [days: number, time: string]
  /** The name of a file in assets/demo, or a URL. */
  media?: string
  onPage?: string
  onInstagram?: string
  superpower?: keyof MadeUp['superpowers']
  notes?: string
  /** The reason for a REJECTED post. */
  rejection?: string
}

interface MadeUp {
  /** Pairs of given and family names, in the scripts that the audience of one page uses. */
  names: readonly (readonly [given: string[], family: string[]])[]
  /** Replies to the size guide need no hashtag, so any number of posts can use it at the same time. */
  superpowers: Record<'raffle' | 'sizeGuide', NewSuperpower>
  /** Three posts of the last days and a dozen of the next four weeks, during shop hours. */
  calendar: readonly CalendarRow[]
}

/** The demo's data. The path is valid from both src/ and dist/. */
export const MADE_UP: MadeUp = JSON.parse(
  readFileSync(new URL('../../assets/demo-content.json', import.meta.url), 'utf8'),
)
