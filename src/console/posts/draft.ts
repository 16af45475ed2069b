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

/** The fields of one channel in the form. */
export interface ChannelDraft {
  caption: string
  /** `kept`: as the post has it; else none, only the creativeTemplateId of a saved one, or a whole one of the post's own. */
  superpower: 'kept' | 'none' | Superpower
}

/** The fields of the form, as they are typed. */
export interface Draft extends WallTime {
  channels: Record<string, ChannelDraft>
  media: string
  mediaType: 'IMAGE' | 'VIDEO'
  altText: string
  aiGenerated: boolean
  notes: string
  /** The posts and saved texts that were copied into the form: their writers are writers of the post. */
  copiedFrom: Required<CopiedFrom>
}

/** The service takes no more ids of either kind. */
const SOURCES_MAX = 50
const NO_SOURCES: Draft['copiedFrom'] = { posts: [], savedTexts: [] }

export const EMPTY_DRAFT: Draft = {
  ...{ channels: {}, media: '', mediaType: 'IMAGE', altText: '', aiGenerated: false },
  ...{ time: '', occurrence: '', notes: '', copiedFrom: NO_SOURCES },
}

/** The draft of a new post, at a time and on a channel where these are chosen already. */
export const beginDraft = (time: string, channelId: string | undefined): Draft => ({
  ...EMPTY_DRAFT,
  time,
  channels: channelId === undefined ? {} : { [channelId]: { caption: '', superpower: 'none' } },
})

/** Stands in the key of a draft for the id of a post. Those that are begun at different times are different posts. */
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

/** The draft of a new post that says the same as another one, whose id is `source`, at no time yet. */
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

/** Adds what was copied into the form just now. */
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

/** The fields that differ, and no others, so that a change of others elsewhere stays. Null clears what was emptied. */
export function toPatch(before: Draft, after: Draft, scheduledFor: string | undefined): ScheduledPostEdit {
  const channels: Record<string, ScheduledPostChannelFields | null> = {}
  for (const id of Object.keys(before.channels)) if (!(id in after.channels)) channels[id] = null
  for (const [id, channel] of Object.entries(after.channels)) {
    const earlier = before.channels[id]
    if (earlier === undefined || !isSame(earlier, channel)) channels[id] = toChannelFields(channel)
  }
  const hasNewTime = before.time !== after.time || after.occurrence !== ''
  // The text of the picture before ends with it, so that one that stays is sent again.
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

/** The id of the saved superpower, where the draft names nothing but it. */
export const savedIdOf = (superpower: Superpower): string | undefined =>
  Object.keys(superpower).length === 1 ? superpower.creativeTemplateId : undefined

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export { mediaTypeOf } from '../../interface/media-type.ts'

/** The draft of a form, which survives the tab, and a session that ends by itself. */
interface Kept {
  etag: string
  base: Draft
  draft: Draft
  /** The times of both are on its wall clock. */
  timeZone: string
}

/**
 * The key names the person: the next one to sign in here must not see the draft. `postId` is `new` for a new post. A
 * sign-out deletes it (leave.ts).
 */
export const draftKey = (personId: string, organizationId: string, postId: string): string =>
  `draft.${personId}.${organizationId}.${postId}`

/**
 * Keeps it in this tab, and in the browser for after the tab; there another tab's draft of the same post takes its
 * place.
 */
export function keepDraft(key: string, kept: Kept | undefined): void {
  const before = tabStorage.get(key)
  const text = kept && JSON.stringify(kept)
  tabStorage.set(key, text)
  if (text !== undefined || preferences.get(key) === before) preferences.set(key, text)
}

/** Gives the times on the wall clock of `timeZone`, which the person may have changed since. */
export function findDraft(key: string, timeZone: string): Kept | undefined {
  try {
    const kept = JSON.parse(tabStorage.get(key) ?? preferences.get(key) ?? 'null') as Kept | null
    if (kept === null) return undefined
    const { timeZone: before = timeZone } = kept
    // A draft from before an upgrade lacks the fields that came with it.
    const toNow = (one: Draft): Draft => moveTime({ ...EMPTY_DRAFT, ...one }, before, timeZone)
    return { ...kept, timeZone, base: toNow(kept.base), draft: toNow(kept.draft) }
  } catch {
    return undefined
  }
}

/** Says the time of the draft on another wall clock. */
function moveTime(draft: Draft, from: string, to: string): Draft {
  const instant = toInstant(draft.time, from)
  return from === to || instant === undefined ? draft : { ...draft, time: toWallTime(instant, to), occurrence: '' }
}
