export type WorkspaceType = 'VIP' | 'STANDARD'

export interface Workspace {
  id: string
  name: string
  type: WorkspaceType
}

export type ChannelType = 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'

/** How a channel stands with its platform: posts are published on a connected one alone. */
export type ChannelStatus = 'connected' | 'not-connected' | 'needs-reconnect'

export interface Channel {
  /** Such as `FB_PAGE_123456789012345`; elsewhere called `mediumId`. */
  id: string
  type: ChannelType
  name: string
  status: ChannelStatus
  /** The platform's reason, with status `needs-reconnect` alone. */
  problem?: string
}

export interface ChannelQuery {
  /** Only channels connected to this workspace. */
  workspaceId?: string
}

export interface NewWorkspace {
  /** Made by the service when absent. */
  id?: string
  name: string
  type: WorkspaceType
}

export interface NewChannel {
  type: ChannelType
  /** The id that the platform gives the page or account: digits. */
  platformId: string
  name: string
  /** The access token of the page, or of the page of the Instagram account. */
  accessToken?: string
}

/** Connects a channel or an ad account to its platform, or with null disconnects it. */
export interface PlatformToken {
  accessToken: string | null
}

/** A channel and a workspace that it was connected to, or disconnected from. */
export interface Connection {
  workspaceId: string
  channelId: string
}
