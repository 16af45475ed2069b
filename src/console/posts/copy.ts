import type { Channel, PostForPeople, ScheduledPostChannel } from '../../interface/generated/types.ts'

/** A copy of one channel's content for another channel, in place of a copy of the whole post. */
export interface ChannelCopy {
  from: string
  to: string
}

export interface PlannedCopy {
  /** The post as the form of the new one begins with it. */
  post: PostForPeople
  /** The id of the original. */
  source: string
  /** The hashtags that stay with the original. */
  hashtags: string[]
  /** The names of the channels that were deleted since. */
  gone: string[]
}

/**
 * Plans the draft that begins as a copy of a post, or of its content on one channel for another one. A hashtag that the
 * original may still hold is left out, because the copy could not be saved with it.
 */
export function planCopy(post: PostForPeople, channels: readonly Channel[], only?: ChannelCopy): PlannedCopy {
  const entries = Object.entries(post.mediumsData)
  const wanted =
    only === undefined
      ? entries
      : entries.flatMap(([id, entry]) => (id === only.from ? [[only.to, entry] as const] : []))
  const live = wanted.filter(([id]) => channels.some((channel) => channel.id === id))
  const isFree = (id: string): boolean => post.status === 'FAILED' || !(id in post.mediumsData)
  const kept = live.map(([id, entry]) => ({ id, entry, hashtag: isFree(id) ? undefined : entry.superpower?.hashtag }))
  return {
    post: {
      ...post,
      // The form keeps typed text by this id: that of two different copies must not be mixed.
      id: only === undefined ? post.id : `${post.id}.${only.to}`,
      mediumsData: Object.fromEntries(
        kept.map(({ id, entry, hashtag }) => [id, hashtag === undefined ? entry : withoutHashtag(entry)]),
      ),
    },
    source: post.id,
    hashtags: [
      ...new Set(kept.flatMap(({ hashtag }) => (hashtag === undefined ? [] : [`#${hashtag.replace(/^#/, '')}`]))),
    ],
    gone: wanted.filter((one) => !live.includes(one)).map(([, { mediumName }]) => mediumName),
  }
}

function withoutHashtag(entry: ScheduledPostChannel): ScheduledPostChannel {
  const { hashtag: _1, lookupHashtag: _2, ...superpower } = entry.superpower ?? {}
  return { ...entry, superpower }
}
