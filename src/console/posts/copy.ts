import type { Channel, PostForPeople, ScheduledPostChannel } from '../../interface/generated/types.ts'

/** Copies only one channel's content, to another channel. */
export interface ChannelCopy {
  from: string
  to: string
}

export interface PlannedCopy {
  /** The post that fills the new form. */
  post: PostForPeople
  /** The id of the original. */
  source: string
  /** Hashtags that stay with the original. */
  hashtags: string[]
  /** Names of channels deleted since. */
  gone: string[]
}

/**
 * Plans a draft that copies a post, or its content on one channel. Hashtags that the original may still hold are left out,
 * because the copy could not be saved with them.
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
      // The form stores drafts under this id, so two different copies must not share it.
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
