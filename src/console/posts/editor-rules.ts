import { countCaption } from '../../interface/caption-limits.ts'
import type {
  Media,
  MediaRefusal,
  SavedSuperpower,
  ScheduledPost,
  ScheduledPostChannel,
  Superpower,
} from '../../interface/generated/types.ts'
import { findMediaProblems } from '../../interface/media-rules.ts'
import type { PostStatus } from '../../interface/post-status.ts'
import { isWebUrl } from '../navigation.ts'
import { list } from '../wording.ts'
import { posts as postWords } from '../words.ts'
import { type ChannelDraft, type Draft, savedIdOf } from './draft.ts'

const words = postWords.editor

/** Returns the problem with an address that no platform could fetch, if so. */
export const problemOfMediaUrl = (url: string): string | undefined =>
  url === '' || isWebUrl(url) ? undefined : words.mediaNoUrl

/** Lists what the post needs before it can be approved: the service's publish check, shown while writing. */
export function listMissing(draft: Draft, scheduledFor: string | undefined, nowMs: number): string[] {
  const channels = Object.values(draft.channels)
  const isThere: [boolean, string][] = [
    [channels.length > 0, words.missingChannel],
    [channels.every(({ caption }) => caption.trim() !== ''), words.missingText],
    [draft.media !== '' && problemOfMediaUrl(draft.media) === undefined, words.missingMedia],
    [scheduledFor !== undefined && Date.parse(scheduledFor) > nowMs, words.missingTime],
  ]
  return isThere.flatMap(([there, missing]) => (there ? [] : [missing]))
}

/** Returns true if a caption is too long for its channel, or has too many hashtags or mentions. */
export const hasExcess = (draft: Draft, typeOf: (channelId: string) => string): boolean =>
  Object.entries(draft.channels).some(([id, { caption }]) =>
    countCaption(typeOf(id), caption).some(({ count, max }) => count > max),
  )

/** Returns why channels reject the uploaded file. Files on other servers are not checked. */
export function problemsOfUpload(
  uploads: readonly Media[] | undefined,
  url: string,
  channels: readonly { name: string; type: string }[],
): string[] {
  const media = uploads?.find((one) => one.url === url)
  if (media === undefined) return []
  return channels.flatMap(({ name, type }) => {
    const problems = findMediaProblems(media, type)
    return problems.length === 0
      ? []
      : [words.mediaRefused({ channel: name, problems: list(problems.map(describeProblem)) })]
  })
}

const FILE_TYPES: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

function describeProblem(problem: MediaRefusal): string {
  const texts = words.mediaProblems
  switch (problem.what) {
    case 'type':
      return problem.types.map((type) => FILE_TYPES[type] ?? type).reduce((first, next) => texts.types({ first, next }))
    case 'size':
      return texts.size({ max: problem.mibMax })
    case 'ratio':
      return texts.ratio(problem)
    case 'width':
      return texts.width(problem)
    case 'duration':
      return texts.duration({ min: problem.minSeconds, max: problem.maxMinutes })
  }
}

/** Posts in these statuses must stay complete when edited. */
export const mustBeWhole = (status: PostStatus | undefined): boolean =>
  status === 'WAITING_FOR_APPROVAL' || status === 'SCHEDULED' || status === 'FAILED'

/** A failed post can be edited as long as no channel has published it. */
export const isRepairable = ({ status, mediumsData }: ScheduledPost): boolean =>
  status === 'FAILED' && Object.values(mediumsData).every(({ failedToPublish }) => failedToPublish)

/** New, draft and returned posts can be submitted. */
export const isSubmittable = (status: PostStatus | undefined): boolean =>
  status === undefined || status === 'DRAFT' || status === 'REJECTED'

/** Returns the superpower that a channel's draft stands for. */
export function superpowerOf(
  { superpower }: ChannelDraft,
  present: ScheduledPostChannel | undefined,
  saved: readonly SavedSuperpower[],
): Superpower | undefined {
  if (superpower === 'kept') return present?.superpower
  if (superpower === 'none') return undefined
  const savedId = savedIdOf(superpower)
  return savedId === undefined ? superpower : saved.find((one) => one.creativeTemplateId === savedId)?.superpower
}
