import { readFileSync } from 'node:fs'
import type { NewSuperpower } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'

/** A row of the demo's calendar, in which days count from today and times are those of São Paulo. */
export interface CalendarRow {
  /** The status that the post ends in. */
  status: Exclude<PostStatus, 'PUBLISHING'>
  /** None leaves the post without a date. */
  at?: [days: number, time: string]
  /** The name of a file in assets/demo, or a URL. */
  media?: string
  onPage?: string
  onInstagram?: string
  superpower?: keyof MadeUp['superpowers']
  notes?: string
  /** The reason of a REJECTED post. */
  rejection?: string
}

interface MadeUp {
  /** Given names and family names that go together, in the scripts that the audience of one page writes. */
  names: readonly (readonly [given: string[], family: string[]])[]
  /** Answers to the size guide need no hashtag, so any number of posts may use it at a time. */
  superpowers: Record<'raffle' | 'sizeGuide', NewSuperpower>
  /** Three posts of the last days and a dozen of the next four weeks, in shop hours. */
  calendar: readonly CalendarRow[]
}

/** The demo's data. The path is the same from src/ and from dist/. */
export const MADE_UP: MadeUp = JSON.parse(
  readFileSync(new URL('../../assets/demo-content.json', import.meta.url), 'utf8'),
)
