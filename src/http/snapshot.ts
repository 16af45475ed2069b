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

/**
 * The revision of a channel's audience. Revisions of different epochs cannot be compared, because they count different
 * histories.
 */
export interface AudienceRevision {
  epoch: string
  /** 0 for an audience that never changed. */
  revision: number
}

/** The access data of a scope that was read since its last change. */
export interface AccessCache {
  /**
   * Returns the value of `load`, or the value cached since the last change, by the parts of a key. Undefined values and
   * failures are not cached, because callers can ask for any number of things that do not exist.
   */
  getOrLoad<T>(key: readonly string[], load: () => Promise<T>): Ready<T>
}

/**
 * The cached access data as a request sees it, read when its caller is authenticated (access/snapshot.ts). It includes every
 * change that was committed before the request arrived.
 */
export interface Snapshot {
  /**
   * Returns the cache of an organization by its id (itself, its keys, members, workspaces, channels and connections), of a
   * person (itself and its sessions), or with `''` of everything else. What `load` reads must belong to that scope;
   * otherwise it outlives its changes.
   */
  cacheOf(scope: string): Ready<AccessCache>
  audienceRevision(channel: ChannelRef): Ready<AudienceRevision>
}
