import type {
  CopiedFrom,
  NewPostByPerson,
  PostForPeople,
  ScheduledPostChannelFields,
  ScheduledPostEdit,
  Superpower,
} from '../../interface/generated/types.ts'
import { preferences, tabStorage } from '../store.ts'
import { toInstant, toWallTime } from '../zoned.ts'
import type { WallTime } from './schedule-field.tsx'

/** A channel's fields in the form. */
export interface ChannelDraft {
  caption: string
  /**
   * `kept` keeps the post's superpower, `none` removes it. Otherwise it is only the creativeTemplateId of a saved one, or a
   * complete one of the post's own.
   */
  superpower: 'kept' | 'none' | Superpower
}

/** The form's fields as typed. */
export interface Draft extends WallTime {
  channels: Record<string, ChannelDraft>
  media: string
  mediaType: 'IMAGE' | 'VIDEO'
  altText: string
  aiGenerated: boolean
  notes: string
  /** Posts and saved texts copied into the form; their authors count as authors of the post. */
  copiedFrom: Required<CopiedFrom>
}

/** The service's limit for each kind of id. */
const SOURCES_MAX = 50
const NO_SOURCES: Draft['copiedFrom'] = { posts: [], savedTexts: [] }

export const EMPTY_DRAFT: Draft = {
  ...{ channels: {}, media: '', mediaType: 'IMAGE', altText: '', aiGenerated: false },
  ...{ time: '', occurrence: '', notes: '', copiedFrom: NO_SOURCES },
}

/** Returns the draft of a new post, with the time and channel if they are already chosen. */
export const beginDraft = (time: string, channelId: string | undefined): Draft => ({
  ...EMPTY_DRAFT,
  time,
  channels: channelId === undefined ? {} : { [channelId]: { caption: '', superpower: 'none' } },
})

/** The id of a new post in the key of its draft. New posts for different times have separate drafts. */
export const newDraftId = (time: string): string => (time === '' ? 'new' : `new.${time}`)

export function toDraft(post: PostForPeople, timeZone: string): Draft {
  return {
    channels: Object.fromEntries(
      Object.entries(post.mediumsData).map(([id, { caption = '' }]) => [id, { caption, superpower: 'kept' }]),
    ),
    media: post.media ?? '',
    mediaType: post.mediaType === 'VIDEO' ? 'VIDEO' : 'IMAGE',
    altText: post.altText ?? '',
    aiGenerated: post.aiGenerated ?? false,
    time: post.scheduledFor === undefined ? '' : toWallTime(post.scheduledFor, timeZone),
    occurrence: '',
    notes: post.notes ?? '',
    copiedFrom: NO_SOURCES,
  }
}

/** Returns the draft of a copy, without a time. `source` is the id of the original. */
export function toCopy(post: PostForPeople, source: string): Draft {
  const channels = Object.entries(post.mediumsData).map(([id, { caption = '', superpower }]) => [
    id,
    { caption, superpower: superpower ?? 'none' },
  ])
  return {
    ...toDraft(post, 'UTC'),
    channels: Object.fromEntries(channels),
    time: '',
    copiedFrom: { ...NO_SOURCES, posts: [source] },
  }
}

/** Adds the sources of what was just copied into the form. */
export function withSources(draft: Draft, { posts = [], savedTexts = [] }: CopiedFrom): Draft {
  const { copiedFrom: before } = draft
  const copiedFrom = {
    posts: [...new Set([...before.posts, ...posts])].slice(-SOURCES_MAX),
    savedTexts: [...new Set([...before.savedTexts, ...savedTexts])].slice(-SOURCES_MAX),
  }
  return { ...draft, copiedFrom }
}

function toSources({ copiedFrom: { posts, savedTexts } }: Draft): { copiedFrom?: CopiedFrom } {
  if (posts.length + savedTexts.length === 0) return {}
  return { copiedFrom: { ...(posts.length > 0 && { posts }), ...(savedTexts.length > 0 && { savedTexts }) } }
}

const toChannelFields = ({ caption, superpower }: ChannelDraft): ScheduledPostChannelFields => ({
  caption,
  ...(superpower === 'kept' ? {} : { superpower: superpower === 'none' ? null : superpower }),
})

export function toNewPost(draft: Draft, scheduledFor: string | undefined): NewPostByPerson {
  return {
    channels: Object.fromEntries(
      Object.entries(draft.channels).map(([id, { caption, superpower }]) => [
        id,
        { caption, ...(typeof superpower === 'object' ? { superpower } : {}) },
      ]),
    ),
    ...(draft.media === '' ? {} : { media: draft.media, mediaType: draft.mediaType }),
    ...(draft.altText === '' ? {} : { altText: draft.altText }),
    ...(draft.aiGenerated && { aiGenerated: true }),
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    ...(draft.notes === '' ? {} : { notes: draft.notes }),
    ...toSources(draft),
  }
}

/** Returns only the fields that differ, so that others' changes to the rest survive. Null clears an emptied field. */
export function toPatch(before: Draft, after: Draft, scheduledFor: string | undefined): ScheduledPostEdit {
  const channels: Record<string, ScheduledPostChannelFields | null> = {}
  for (const id of Object.keys(before.channels)) if (!(id in after.channels)) channels[id] = null
  for (const [id, channel] of Object.entries(after.channels)) {
    const earlier = before.channels[id]
    if (earlier === undefined || !isSame(earlier, channel)) channels[id] = toChannelFields(channel)
  }
  const hasNewTime = before.time !== after.time || after.occurrence !== ''
  // A new picture discards the alt text of the old one, so an unchanged text must be sent again.
  const hasNewAltText = before.altText !== after.altText || (before.media !== after.media && after.altText !== '')
  const hasNewType = after.media !== '' && (before.mediaType !== after.mediaType || before.media !== after.media)
  return {
    ...(Object.keys(channels).length === 0 ? {} : { channels }),
    ...(before.media === after.media ? {} : { media: after.media || null }),
    ...(hasNewType ? { mediaType: after.mediaType } : {}),
    ...(hasNewAltText ? { altText: after.altText || null } : {}),
    ...(before.aiGenerated === after.aiGenerated ? {} : { aiGenerated: after.aiGenerated }),
    ...(hasNewTime && after.time === '' ? { scheduledFor: null } : {}),
    ...(hasNewTime && scheduledFor !== undefined ? { scheduledFor } : {}),
    ...(before.notes === after.notes ? {} : { notes: after.notes }),
    ...toSources(after),
  }
}

/** Returns the saved superpower's id if the draft contains only that. */
export const savedIdOf = (superpower: Superpower): string | undefined =>
  Object.keys(superpower).length === 1 ? superpower.creativeTemplateId : undefined

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export { mediaTypeOf } from '../../interface/media-type.ts'

/** A form's draft. It survives the tab, and sessions that expire. */
interface Kept {
  etag: string
  base: Draft
  draft: Draft
  /** The time zone of the draft's times. */
  timeZone: string
}

/**
 * The key contains the person: the next one to sign in here must not see the draft. `postId` is `new` for a new post.
 * Signing out deletes drafts (leave.ts).
 */
export const draftKey = (personId: string, organizationId: string, postId: string): string =>
  `draft.${personId}.${organizationId}.${postId}`

/** Stores the draft for this tab and for the browser. In the browser, the last tab to edit the post wins. */
export function keepDraft(key: string, kept: Kept | undefined): void {
  const before = tabStorage.get(key)
  const text = kept && JSON.stringify(kept)
  tabStorage.set(key, text)
  if (text !== undefined || preferences.get(key) === before) preferences.set(key, text)
}

/** Returns the stored draft, with its times converted to `timeZone`, which may have changed since. */
export function findDraft(key: string, timeZone: string): Kept | undefined {
  try {
    const kept = JSON.parse(tabStorage.get(key) ?? preferences.get(key) ?? 'null') as Kept | null
    if (kept === null) return undefined
    const { timeZone: before = timeZone } = kept
    // Drafts from before an upgrade lack its new fields.
    const toNow = (one: Draft): Draft => moveTime({ ...EMPTY_DRAFT, ...one }, before, timeZone)
    return { ...kept, timeZone, base: toNow(kept.base), draft: toNow(kept.draft) }
  } catch {
    return undefined
  }
}

/** Converts the draft's times to another time zone. */
function moveTime(draft: Draft, from: string, to: string): Draft {
  const instant = toInstant(draft.time, from)
  return from === to || instant === undefined ? draft : { ...draft, time: toWallTime(instant, to), occurrence: '' }
}
