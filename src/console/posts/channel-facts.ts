import type { Channel } from '../../interface/channels.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { useChannels } from './queries.ts'

/** The organization's channels, and the names and types of those that a post has, also of channels that were deleted. */
export interface ChannelFacts {
  /** Undefined while they are read. */
  all: readonly Channel[] | undefined
  nameOf: (id: string) => string
  typeOf: (id: string) => string
}

export function useChannelFacts(post: ScheduledPost | undefined): ChannelFacts {
  const all = useChannels().data
  const find = (id: string): Channel | undefined => all?.find((channel) => channel.id === id)
  return {
    all,
    nameOf: (id) => find(id)?.name ?? post?.mediumsData[id]?.mediumName ?? id,
    typeOf: (id) => find(id)?.type ?? post?.mediumsData[id]?.mediumType ?? '',
  }
}
