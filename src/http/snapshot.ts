import type { Ready } from '../lib/ready.js'

/** A channel, whose audience revisions are counted. */
export interface ChannelKey {
  organizationId: string
  channelId: string
}

/** A channel with an id that is unique among the channels of all organizations. */
export interface ChannelRef extends ChannelKey {
  id: string
}

/** What was read since the last change of organizations, keys, workspaces, channels and connections. */
export interface AccessCache {
  /**
   * The value of `load`, or its value since the last change, by the parts of a key. Undefined values and failures are not
   * cached: callers can ask for any number of things that do not exist.
   */
  getOrLoad<T>(key: readonly string[], load: () => Promise<T>): Ready<T>
}

/**
 * The cached access data as a request sees it, read when its caller is authenticated (access/snapshot.ts): it includes
 * every change that was committed before the request came.
 */
export interface Snapshot {
  cache: AccessCache
  /** The revision of the channel's audience; 0 for one that never changed. */
  audienceRevision(channel: ChannelRef): Ready<number>
}
